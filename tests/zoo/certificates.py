"""Certificates of a CA of our own, made anew each time with the `openssl` program."""

import os
import subprocess

EXTENSIONS = "subjectAltName={names}\nbasicConstraints=CA:FALSE\n"
HERE = "IP:127.0.0.1,DNS:localhost,DNS:zoo.test"
ELSEWHERE = "DNS:elsewhere.example"


class Certificates:
    def __init__(self, folder):
        self.folder = folder
        self.ca = self.path("ca.pem")
        self.make_ca()
        self.good = self.signed("good", HERE, ["-days", "30"])
        self.elsewhere = self.signed("elsewhere", ELSEWHERE, ["-days", "30"])
        self.client = self.signed("client", "DNS:client.example", ["-days", "30"])
        self.expired = self.signed_by_database("expired", HERE, "20200101000000Z", "20200102000000Z")
        self.self_signed = self.alone("self-signed", HERE)

    def path(self, name):
        return os.path.join(self.folder, name)

    def openssl(self, *words):
        subprocess.run(["openssl", *words], cwd=self.folder, check=True, stdin=subprocess.DEVNULL,
                       stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, timeout=20)

    def write(self, name, text):
        with open(self.path(name), "w", encoding="ascii") as file:
            file.write(text)

    def make_ca(self):
        self.openssl("req", "-x509", *self.new_key("ca"), "-subj", "/CN=zoo CA", "-days", "30",
                     "-addext", "keyUsage=critical,keyCertSign,cRLSign", "-out", "ca.pem")

    def new_key(self, name):
        return ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", f"{name}.key"]

    def request(self, name, names):
        self.openssl("req", *self.new_key(name), "-subj", f"/CN={name}", "-out", f"{name}.csr")
        self.write(f"{name}.ext", EXTENSIONS.format(names=names))

    def pair(self, name):
        return {"certificate": self.path(f"{name}.pem"), "key": self.path(f"{name}.key")}

    def signed(self, name, names, validity):
        self.request(name, names)
        self.openssl("x509", "-req", "-in", f"{name}.csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial",
                     "-extfile", f"{name}.ext", *validity, "-out", f"{name}.pem")
        return self.pair(name)

    def signed_by_database(self, name, names, begin, end):
        """`openssl ca` alone takes dates of the past."""
        self.request(name, names)
        self.write("index.txt", "")
        self.write("ca.cnf", "[ca]\ndefault_ca=zoo\n[zoo]\ndatabase=index.txt\nnew_certs_dir=.\nrand_serial=yes\n"
                             "default_md=sha256\npolicy=any\n[any]\ncommonName=supplied\n")
        self.openssl("ca", "-batch", "-config", "ca.cnf", "-cert", "ca.pem", "-keyfile", "ca.key", "-notext",
                     "-in", f"{name}.csr", "-extfile", f"{name}.ext", "-startdate", begin, "-enddate", end,
                     "-out", f"{name}.pem")
        return self.pair(name)

    def alone(self, name, names):
        self.openssl("req", "-x509", *self.new_key(name), "-subj", f"/CN={name}", "-days", "30",
                     "-addext", f"subjectAltName={names}", "-out", f"{name}.pem")
        return self.pair(name)
