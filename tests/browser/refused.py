"""Tests who may ask the server of `tactus view`, and how much, with requests that no browser would send."""
import concurrent.futures
import http.client
import json
import socket
import urllib.parse

import launchers
from harness import expect
from serving import peak_mib

most_mib = 400  # with 100 clients at once; the trace is small
clients = 100


class Server:
    def __init__(self, address):
        parts = urllib.parse.urlsplit(address)
        self.port, self.token = parts.port, parts.path.strip("/")
        self.host = f"127.0.0.1:{self.port}"

    def ask(self, path, method="GET", seconds=launchers.patience_s, **headers):
        """Sends one request as it is, and returns the status, headers and body of the answer."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=seconds)
        try:
            connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
            for name, value in {"Host": self.host,
                                **{name.replace("_", "-"): value for name, value in headers.items()}}.items():
                connection.putheader(name, value)
            connection.endheaders()
            answer = connection.getresponse()
            return answer.status, answer.headers, answer.read()
        finally:
            connection.close()

    def raw(self, request):
        """Sends these bytes, and returns everything that the server answers until it closes."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=launchers.patience_s) as connection:
            connection.sendall(request)
            connection.shutdown(socket.SHUT_WR)
            answer = b""
            while piece := connection.recv(65536):
                answer += piece
            return answer

    def expect(self, wanted, what, path, method="GET", **headers):
        status, _, body = self.ask(path, method, **headers)
        expect(status == wanted, f"{what}: {method} {path[:100]} {headers} is answered {status}: {body[:200]!r}")
        if status >= 400 and method != "HEAD":
            expect(b"tactus-1" not in body and b'"name"' not in body and len(body) < 500,
                   f"{what}: what is refused says nothing: {body!r}")
        return body


def who_may_ask(server):
    page, question = f"/{server.token}/", f"/{server.token}/api/traces"
    port = server.port
    traces = json.loads(server.expect(200, "who knows the token", question))["traces"]
    expect(len(traces) == 1 and traces[0]["ranks"] == 4, f"the trace is told: {traces}")
    for good in f"localhost:{port}", f"127.0.0.1:{port}", f"[::1]:{port}", "localhost:8000":
        server.expect(200, "a host that is this machine", question, Host=good)
        server.expect(200, "its own origin", question, Host=good, Origin=f"http://{good}", Sec_Fetch_Site="same-origin")
    for path in page, question, f"{page}main.js", f"{page}api/timeline?pixels=100":
        for origin in ("http://evil.example", f"http://127.0.0.1:{port + 1}", f"https://{server.host}", "null",
                       f"http://{server.host}.evil.example"):
            server.expect(403, "a foreign origin", path, Origin=origin)
        for host in ("evil.example", f"evil.example:{port}", "127.0.0.1.evil.example", "localhost.evil.example", "",
                     "127.0.0.2", "[::2]:80"):
            server.expect(403, "a foreign host", path, Host=host)
        server.expect(403, "another site", path, Sec_Fetch_Site="cross-site")
    wrong = server.token[:-1] + ("0" if server.token[-1] != "0" else "1")
    for token in "", wrong, server.token[:-1], server.token + "0", server.token.upper() + "x", "0" * 32, "%00", "..":
        for rest in "", "/", "/api/traces", "/main.js", f"/{server.token}/", f"/../{server.token}x/":
            server.expect(403, "a wrong token", f"/{token}{rest}")
    server.expect(403, "no token", "/api/traces")
    server.expect(403, "the token elsewhere", f"/?token={server.token}")
    for method in "POST", "PUT", "DELETE", "PATCH", "OPTIONS":
        server.expect(405, "other methods", question, method, Content_Length="0")
    expect(not server.expect(200, "HEAD", page, "HEAD"), "HEAD has no body")


def paths(server):
    """Only the page's own files and questions get an answer, however a request is written."""
    for path in ("../../etc/passwd", "..%2f..%2fetc%2fpasswd", "%2e%2e/%2e%2e/etc/passwd", "....//etc/passwd",
                 "/etc/passwd", "%2fetc%2fpasswd",
                 "..\\..\\etc\\passwd", "main.js%00.css", "api/../../etc/passwd", "api/..%2f..%2fmanifest.json",
                 "manifest.json", "ranks", "api/",
                 "api/nothing", "panels", "panels/", "index.html/", "main.js/..", "%c0%ae%c0%ae/etc/passwd"):
        status, _, body = server.ask(f"/{server.token}/{path}")
        expect(status in (400, 403, 404) and b"root:" not in body and b"ranks" not in body,
               f"{path}: {status} {body[:200]!r}")
    for place in ("/etc/passwd", "/etc/passwd:1", "../../etc/passwd:1", "/proc/self/environ:1", "%2fetc%2fpasswd:1",
                  "manifest.json:1"):
        status, _, body = server.ask(f"/{server.token}/api/source?place={place}")
        expect(status in (400, 404) and b"root:" not in body and b"lines" not in body,
               f"source of {place}: {status} {body[:200]!r}")
    for query in ("trace=1", "trace=-1", "trace=../x", "trace=1e99", "rows=nothing", "pixels=999999999999",
                  "from=nan&to=1", "from=2&to=1",
                  "group=0-99999999999", "from=1e308&to=-1e308", "messages=99999999999999999999", "first_row=-1"):
        status, _, body = server.ask(f"/{server.token}/api/timeline?{query}")
        expect(status == 400 and json.loads(body)["error"], f"timeline?{query}: {status} {body[:200]!r}")


def headers(server):
    _, found, _ = server.ask(f"/{server.token}/")
    policy = found["Content-Security-Policy"]
    for part in "default-src 'none'", "script-src 'self'", "frame-ancestors 'none'", "base-uri 'none'":
        expect(part in policy and "unsafe" not in policy, f"policy: {policy}")
    wanted = {"X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer",
              "Cross-Origin-Resource-Policy": "same-origin", "Cache-Control": "no-store"}
    for name, value in wanted.items():
        expect(found[name] == value, f"{name}: {found[name]}")
    expect("Access-Control-Allow-Origin" not in found, "no other origin may read")


def sizes(server):
    long = server.raw(b"GET /%s/%s HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n" % (server.token.encode(), b"a" * 9216))
    expect(not long or long.split()[1] in (b"400", b"414", b"431"), f"an address of 9 KiB: {long[:100]!r}")
    header = server.raw(b"GET /%s/ HTTP/1.1\r\nHost: 127.0.0.1\r\nX: %s\r\n\r\n" % (server.token.encode(), b"a" * 9216))
    expect(not header or header.split()[1] in (b"400", b"413", b"431"), f"a header of 9 KiB: {header[:100]!r}")
    server.raw(b"\x16\x03\x01\x02\x00\x01" + bytes(range(256)))  # not HTTP
    server.raw(b"GET\r\n\r\n")
    server.expect(200, "afterwards it answers", f"/{server.token}/api/traces")


def many(server, process):
    """Each of many clients at once gets its answer, or is told to come again."""
    path = f"/{server.token}/api/timeline?pixels=4000&messages=20000&values=20000"

    def one(_):
        status, _, body = server.ask(path)
        return status, len(body)

    with concurrent.futures.ThreadPoolExecutor(clients) as pool:
        answers = list(pool.map(one, range(clients)))
    statuses = [status for status, _ in answers]
    expect(set(statuses) <= {200, 503} and 200 in statuses, f"answers: {sorted(statuses)}")
    expect(len({size for status, size in answers if status == 200}) == 1, f"all get the same: {answers}")
    idle = [socket.create_connection(("127.0.0.1", server.port), timeout=launchers.patience_s) for _ in range(clients)]
    try:
        server.expect(200, "beside connections that say nothing", f"/{server.token}/api/traces")
    finally:
        for connection in idle:
            connection.close()
    server.expect(200, "afterwards it answers", path)
    peak = peak_mib(process)
    expect(process.poll() is None and peak < most_mib, f"the server took {peak} MiB")
    print(f"{clients} clients: {statuses.count(200)} answers, {statuses.count(503)} told to come again; {peak:.0f} MiB "
          f"at most")


def other_addresses(server):
    """Nobody listens on another address than 127.0.0.1."""
    for address in ["127.0.0.2", "::1", *launchers.ask(["hostname", "-I"], check=True).stdout.split()]:
        with socket.socket(socket.AF_INET6 if ":" in address else socket.AF_INET) as connection:
            connection.settimeout(5)
            expect(connection.connect_ex((address, server.port)) != 0, f"{address} answers")


def check(process, address):
    server = Server(address)
    for part in who_may_ask, paths, headers, sizes, other_addresses:
        part(server)
    many(server, process)
