"""Requests whose end could be read in two ways. Each has a whole request where its body may be, which enqueues a
message of the topic `smuggled`: whoever takes that for the next request has been deceived."""

MESSAGES = "/api/outboxes/makegood_outbox/messages"
CONTENT = b'{"topic": "smuggled", "payload": {}}'


def head(*lines, method="POST", target="/healthz", version="HTTP/1.1"):
    return "\r\n".join([f"{method} {target} {version}", "Host: 127.0.0.1", *lines, "", ""]).encode("latin-1")


def smuggled(authorization):
    lines = ["Content-Type: application/json", f"Content-Length: {len(CONTENT)}"]
    return head(*lines, *authorization, target=MESSAGES) + CONTENT


def chunk(content):
    return f"{len(content):x}\r\n".encode() + content + b"\r\n"


# What stands for `Transfer-Encoding: chunked`, and is not it.
ENCODINGS = {
    "another word": ["Transfer-Encoding: xchunked"],
    "another word at the end": ["Transfer-Encoding: chunkedx"],
    "identity": ["Transfer-Encoding: identity"],
    "identity last": ["Transfer-Encoding: chunked, identity"],
    "identity first": ["Transfer-Encoding: identity, chunked"],
    "a coding before": ["Transfer-Encoding: gzip, chunked"],
    "a coding alone": ["Transfer-Encoding: gzip"],
    "twice in a line": ["Transfer-Encoding: chunked, chunked"],
    "twice": ["Transfer-Encoding: chunked", "Transfer-Encoding: chunked"],
    "two lines, the first strange": ["Transfer-Encoding: xchunked", "Transfer-Encoding: chunked"],
    "two lines, the last strange": ["Transfer-Encoding: chunked", "Transfer-Encoding: identity"],
    "two lines of other case": ["transfer-encoding: chunked", "TRANSFER-ENCODING: cow"],
    "nothing": ["Transfer-Encoding:"],
    "a comma": ["Transfer-Encoding: ,"],
    "an empty element": ["Transfer-Encoding: ,chunked"],
    "a parameter": ["Transfer-Encoding: chunked;q=1"],
    "quotes": ['Transfer-Encoding: "chunked"'],
    "a colon more": ["Transfer-Encoding: : chunked"],
    "a vertical tab": ["Transfer-Encoding: \x0bchunked"],
    "a blank of another alphabet": ["Transfer-Encoding: \xa0chunked"],
    "a zero byte": ["Transfer-Encoding: chunked\x00"],
    "a blank before the colon": ["Transfer-Encoding : chunked"],
    "a tab before the colon": ["Transfer-Encoding\t: chunked"],
    "a folded line": ["Transfer-Encoding:", " chunked"],
    "a line folded by a tab": ["Transfer-Encoding:", "\tchunked"],
    "folded into the line before": ["X: y", " Transfer-Encoding: chunked"],
    "a line end of one byte": ["X: y\nTransfer-Encoding: chunked"],
    "a carriage return alone": ["X: y\rTransfer-Encoding: chunked"],
}
LENGTHS = {
    "chunks and a length": ["Transfer-Encoding: chunked", "Content-Length: {length}"],
    "a length and chunks": ["Content-Length: {length}", "Transfer-Encoding: chunked"],
    "a length and another coding": ["Content-Length: 0", "Transfer-Encoding: identity"],
    "two lengths": ["Content-Length: 0", "Content-Length: {length}"],
    "a list of lengths": ["Content-Length: 0, {length}"],
    "a sign": ["Content-Length: +{length}"],
    "a number below zero": ["Content-Length: -{length}"],
    "a number of base 16": ["Content-Length: 0x{length:x}"],
    "a number too large": ["Content-Length: 18446744073709551617"],
    "no number": ["Content-Length: "],
    "a blank in the number": ["Content-Length: 1 {length}"],
}
# After `Transfer-Encoding: chunked`; {length} in hexadecimal digits.
CHUNKS = {
    "a prefix of base 16": b"0x%(length)x\r\n%(body)s\r\n0\r\n\r\n",
    "a sign": b"+%(length)x\r\n%(body)s\r\n0\r\n\r\n",
    "a blank first": b" %(length)x\r\n%(body)s\r\n0\r\n\r\n",
    "a number too large": b"10000000000000000%(length)x\r\n%(body)s\r\n0\r\n\r\n",
    "no number": b"\r\n%(body)s\r\n0\r\n\r\n",
    "bytes beyond its end": b"1\r\nxx\r\n%(body)s\r\n0\r\n\r\n",
    "a line end of one byte": b"%(length)x\n%(body)s\r\n0\r\n\r\n",
}


def corpus(authorization=()):
    """Pairs: what it is, and its bytes. All of them are to be refused."""
    body = smuggled(authorization)
    for what, lines in ENCODINGS.items():
        yield f"coding: {what}", head(*lines, *authorization) + body
        yield f"coding, with chunks: {what}", head(*lines, *authorization) + chunk(b"x") + b"0\r\n\r\n" + body
    yield "coding, of HTTP/1.0", head("Transfer-Encoding: chunked", *authorization, version="HTTP/1.0") + chunk(
        b"x") + b"0\r\n\r\n" + body
    yield "coding, of a GET", head("Transfer-Encoding: identity", *authorization, method="GET") + body
    for what, lines in LENGTHS.items():
        filled = [line.format(length=len(body)) for line in lines]
        yield f"length: {what}", head(*filled, *authorization) + body
    for what, form in CHUNKS.items():
        yield f"chunk: {what}", head("Transfer-Encoding: chunked", *authorization) + form % {
            b"length": len(body), b"body": body}
