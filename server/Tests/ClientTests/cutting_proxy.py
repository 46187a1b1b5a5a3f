"""A proxy that loses answers: the server has stored the events, and their client doesn't learn of it."""

import http.client
import http.server
import socket
import threading


class CuttingProxy(http.server.ThreadingHTTPServer):
    """Passes requests on to a port of this machine, and cuts the connection instead of some answers."""

    request_queue_size = 128

    def __init__(self, port, chance, share):
        super().__init__(("127.0.0.1", 0), Handler)
        self.port, self.chance, self.share, self.cuts = port, chance, share, 0
        self.lock = threading.Lock()
        self.address = f"http://127.0.0.1:{self.server_address[1]}"
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def cuts_next(self):
        with self.lock:
            is_cut = self.chance.random() < self.share
            self.cuts += is_cut
            return is_cut

    def stop(self):
        self.shutdown()
        self.server_close()


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # An answer in two packets would wait for the client's acknowledgement.
    disable_nagle_algorithm = True

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        server = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=60)
        fields = {name: value for name, value in self.headers.items() if name.lower() not in ("host", "connection")}
        server.request("POST", self.path, body, fields)
        answer = server.getresponse()
        content = answer.read()
        server.close()
        if answer.status < 300 and self.server.cuts_next():
            self.close_connection = True
            self.connection.shutdown(socket.SHUT_RDWR)
            return
        self.send_response(answer.status)
        for name, value in answer.getheaders():
            if name.lower() not in ("connection", "transfer-encoding", "content-length", "date", "server"):
                self.send_header(name, value)
        if answer.status != 204:
            self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_):
        pass
