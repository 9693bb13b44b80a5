"""The service behind the proxy, as a process of its own that can be killed. It keeps a ledger of effects: one line for
each request that it has carried out, synced before it answers.

What a request wants is in its path: /ok, /status/503, /slow/1.5, /cut, /half, /large/100000, /cookie, /none.
"""

import http.server
import json
import os
import sys
import time


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    ledger = None

    def body(self):
        if self.headers.get("Transfer-Encoding", "").lower() == "chunked":
            whole = b""
            while size := int(self.rfile.readline().strip(), 16):
                whole += self.rfile.read(size)
                self.rfile.readline()
            self.rfile.readline()
            return whole
        return self.rfile.read(int(self.headers.get("Content-Length", 0)))

    def effect(self, body):
        line = json.dumps({"method": self.command, "path": self.path, "key": self.headers.get("Idempotency-Key"),
                           "body": body.decode("latin-1"), "headers": self.headers.items()})
        os.write(self.ledger, line.encode() + b"\n")
        os.fsync(self.ledger)

    def answer(self, status, body=b"{}", *headers):
        self.send_response(status)
        for name, value in headers:
            self.send_header(name, value)
        if status != 204:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD" and status != 204:
            self.wfile.write(body)

    def handle_any(self):
        body = self.body()
        what, _, rest = self.path.split("?")[0].strip("/").partition("/")
        if what == "slow":
            time.sleep(float(rest))
        self.effect(body)
        if what == "status":
            self.answer(int(rest), b'{"status": %d}' % int(rest))
        elif what == "cut":
            self.close_connection = True
            self.connection.shutdown(2)
        elif what == "half":
            self.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf")
            self.close_connection = True
            self.connection.shutdown(2)
        elif what == "large":
            self.answer(201, b"x" * int(rest), ("Location", "/things/7"), ("Content-Type", "text/x"), ("ETag", '"7"'))
        elif what == "chunks":
            self.send_response(200)
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            for piece in (b"one", b"two"):
                self.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))
            self.wfile.write(b"0\r\n\r\n")
        elif what == "until_end":
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b"up to the end")
            self.close_connection = True
        elif what == "none":
            self.answer(204)
        elif what == "cookie":
            self.answer(200, b'{"cookie": 1}', ("Set-Cookie", "session=secret"), ("Content-Type", "application/json"))
        else:
            self.answer(200, json.dumps({"body": body.decode("latin-1"), "pid": os.getpid()}).encode(),
                        ("Content-Type", "application/json"), ("X-Twice", "a"), ("X-Twice", "b"),
                        ("Keep-Alive", "timeout=5"), ("Connection", "keep-alive, X-Hop"), ("X-Hop", "neighbour"))

    do_GET = do_HEAD = do_POST = do_PUT = do_PATCH = do_DELETE = do_OPTIONS = handle_any

    def log_message(self, *_):
        pass


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 1024

    def handle_error(self, *_):
        pass  # A proxy that was killed.


def main():
    Handler.ledger = os.open(sys.argv[2], os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    server = Server(("127.0.0.1", int(sys.argv[1])), Handler)
    print(server.server_address[1], flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
