"""An OpenID Connect provider that signs in one person without asking."""

import base64
import hashlib
import http.server
import json
import pathlib
import secrets
import subprocess
import threading
import time
from urllib.parse import parse_qs, parse_qsl, urlencode, urlsplit

CLIENT, SECRET = "tern", "a secret of the client"


def encoded(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


class Provider:
    """Signs in everyone as the person with the given claims. openssl makes its keys and signatures."""

    def __init__(self, directory, **claims):
        self.claims, self.codes, provider = claims, {}, self
        self.key = pathlib.Path(directory) / "provider.pem"
        subprocess.run(
            ["openssl", "genpkey", "-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048", "-out", self.key], check=True,
            capture_output=True)
        modulus = subprocess.run(
            ["openssl", "rsa", "-in", self.key, "-noout", "-modulus"], check=True, capture_output=True, text=True).stdout
        self.modulus = bytes.fromhex(modulus.strip().split("=")[1])

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                address = urlsplit(self.path)
                if address.path == "/authorize":
                    return self.redirect(provider.authorize(dict(parse_qsl(address.query))))
                self.answer(provider.documents().get(address.path))

            def do_POST(self):
                form = parse_qs(self.rfile.read(int(self.headers["Content-Length"])).decode())
                self.answer(provider.token({name: values[0] for name, values in form.items()}, self.headers))

            def answer(self, document):
                self.send_response(200 if document else 400)
                self.send_header("Content-Type", "application/json")
                self.end_headers()
                self.wfile.write(json.dumps(document or {"error": "invalid_request"}).encode())

            def redirect(self, address):
                self.send_response(302)
                self.send_header("Location", address)
                self.end_headers()

            def log_message(self, *arguments):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.issuer = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def documents(self):
        return {
            "/.well-known/openid-configuration": {
                "issuer": self.issuer, "authorization_endpoint": f"{self.issuer}/authorize",
                "token_endpoint": f"{self.issuer}/token", "jwks_uri": f"{self.issuer}/keys",
                "response_types_supported": ["code"], "subject_types_supported": ["public"],
                "id_token_signing_alg_values_supported": ["RS256"], "code_challenge_methods_supported": ["S256"]},
            "/keys": {"keys": [{
                "kty": "RSA", "use": "sig", "alg": "RS256", "kid": "1", "n": encoded(self.modulus),
                "e": encoded(b"\x01\x00\x01")}]}}

    def authorize(self, request):
        assert request["response_type"] == "code" and request["client_id"] == CLIENT, request
        assert request["code_challenge_method"] == "S256" and "openid" in request["scope"].split(), request
        code = secrets.token_urlsafe()
        self.codes[code] = request
        return request["redirect_uri"] + "?" + urlencode({"code": code, "state": request["state"]})

    def token(self, form, headers):
        """Returns the answer with a token for a code, which works once; `None` if anything is wrong."""
        request = self.codes.pop(form.get("code"), None)
        login = form.get("client_id", "") + ":" + form.get("client_secret", "")
        if "Authorization" in headers:
            login = base64.b64decode(headers["Authorization"].split()[1]).decode()
        verifier = encoded(hashlib.sha256(form.get("code_verifier", "").encode()).digest())
        if not request or request["code_challenge"] != verifier or request["redirect_uri"] != form.get("redirect_uri"):
            return None
        if login not in (f"{CLIENT}:{SECRET}", f"{CLIENT}:{SECRET.replace(' ', '+')}", f"{CLIENT}:{SECRET.replace(' ', '%20')}"):
            return None
        now = int(time.time())
        claims = {"iss": self.issuer, "aud": CLIENT, "iat": now, "exp": now + 300, "nonce": request.get("nonce")}
        return {"access_token": secrets.token_urlsafe(), "token_type": "Bearer", "id_token": self.signed(claims | self.claims)}

    def signed(self, claims):
        parts = [encoded(json.dumps(part).encode()) for part in ({"alg": "RS256", "kid": "1", "typ": "JWT"}, claims)]
        signature = subprocess.run(
            ["openssl", "dgst", "-sha256", "-sign", self.key], input=".".join(parts).encode(), check=True,
            capture_output=True).stdout
        return ".".join(parts + [encoded(signature)])

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()
