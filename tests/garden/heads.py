"""The request heads of the garden: a small grammar, and the same choice of its sentences in every run.

A head is made of one alternative of each part. The default of each part gives a valid request, so a head says what is odd
about it: the names of the alternatives that are not defaults.
"""

import itertools
import random

PATH = "/c/oauth/v1?method=credits/get&case="

METHOD = {
    "GET": "GET", "HEAD": "HEAD", "POST": "POST", "OPTIONS": "OPTIONS", "TRACE": "TRACE", "CONNECT": "CONNECT",
    "lower-case method": "get", "unknown method": "BREW", "method with @": "G@T", "PRI of HTTP/2": "PRI",
}
# `@` stands for the path, its query and the name of the case.
TARGET = {
    "path": "@", "absolute": "http://127.0.0.1@", "absolute, other host": "http://other.test@",
    "absolute, https": "https://127.0.0.1@", "absolute, user": "http://a:b@@", "asterisk": "*", "no target": "",
    "two slashes": "/@", "fragment": "@#part", "space in target": "@ x", "tab in target": "@\tx", "NUL in target": "@\0x",
    "8-bit in target": "@\xe9", "encoded line end": "@%0d%0aHost:%20x", "no slash": "c/oauth/v1", "dots": "/c/..@",
    "backslash": "\\@", "authority": "127.0.0.1:80",
}
VERSION = {
    "1.1": " HTTP/1.1", "1.0": " HTTP/1.0", "0.9": "", "0.9 written": " HTTP/0.9", "1.2": " HTTP/1.2", "2.0": " HTTP/2.0",
    "lower-case version": " http/1.1", "space after version": " HTTP/1.1 ", "01.1": " HTTP/01.1", "1.1x": " HTTP/1.1x",
    "two spaces": "  HTTP/1.1", "tab before version": "\tHTTP/1.1", "CR before version": "\rHTTP/1.1", "no number": " HTTP/",
}
START = {"start": "", "empty line first": "\r\n", "LF first": "\n", "CR first": "\r", "space first": " ", "two empty lines": "\r\n\r\n"}
HOST = {
    "host": "Host: 127.0.0.1\n", "no host": "", "two hosts": "Host: 127.0.0.1\nHost: 127.0.0.1\n",
    "two other hosts": "Host: 127.0.0.1\nHost: other.test\n", "empty host": "Host:\n", "host list": "Host: 127.0.0.1, other.test\n",
    "host with space": "Host : 127.0.0.1\n", "host with user": "Host: a@127.0.0.1\n", "host with path": "Host: 127.0.0.1/x\n",
    "folded host": "Host:\n 127.0.0.1\n", "host with bad port": "Host: 127.0.0.1:99999\n", "host with tab": "Host:\t127.0.0.1\t\n",
}
FIELD = {
    "no field": "", "space before colon": "X-A : b\n", "tab before colon": "X-A\t: b\n", "empty name": ": b\n",
    "no colon": "X-A\n", "folded": "X-A: b\n c\n", "folded with tab": "X-A: b\n\tc\n", "blank fold": "X-A: b\n \n",
    "NUL in value": "X-A: b\0c\n", "CR in value": "X-A: b\rc\n", "LF in value": "X-A: b\x01X-B: c\n",
    "8-bit in value": "X-A: \xe9\n", "8-bit in name": "X-\xe9: b\n", "space in name": "X A: b\n", "control in name": "X\x0bA: b\n",
    "long value": "X-A: " + "b" * 9000 + "\n", "80 fields": "".join(f"X-{n}: b\n" for n in range(80)),
    "close": "Connection: close\n", "keep-alive": "Connection: keep-alive\n",
    "drops host": "Connection: close, Host\n", "drops length": "Connection: Content-Length\n",
    "drops coding": "Connection: Transfer-Encoding\n", "h2c": "Connection: Upgrade, HTTP2-Settings\nUpgrade: h2c\nHTTP2-Settings: AAMAAABk\n",
    "websocket": "Connection: Upgrade\nUpgrade: websocket\n", "expect": "Expect: 100-continue\n", "expect more": "Expect: x\n",
    "TE": "TE: trailers, chunked\n", "range": "Range: bytes=0-1\n", "method override": "X-HTTP-Method-Override: POST\n",
}
END = {"CRLF": "\r\n", "LF": "\n", "CR": "\r", "CRCRLF": "\r\r\n", "LF at the end": None, "CR at the end": None}

# The body of a request with a length or a coding is another request, `&`. If a proxy and the server differ about the
# length, one of them answers it. `#` is its length, in decimal, and `%` in hexadecimal.
FRAME = {
    "no body": ("", ""),
    "length 0": ("Content-Length: 0\n", ""), "length 0, body": ("Content-Length: 0\n", "&"),
    "length": ("Content-Length: #\n", "&"), "length, no body": ("Content-Length: 5\n", ""),
    "length with +": ("Content-Length: +#\n", "&"), "length with -": ("Content-Length: -1\n", "&"),
    "length with space": ("Content-Length: # \n", "&"), "length 1 2": ("Content-Length: 1 2\n", "&"),
    "length list": ("Content-Length: #, #\n", "&"), "length list, other": ("Content-Length: #, 0\n", "&"),
    "two lengths": ("Content-Length: #\nContent-Length: #\n", "&"), "lengths # 0": ("Content-Length: #\nContent-Length: 0\n", "&"),
    "lengths 0 #": ("Content-Length: 0\nContent-Length: #\n", "&"), "length in hex": ("Content-Length: 0x%\n", "&"),
    "length 00#": ("Content-Length: 00#\n", "&"), "huge length": ("Content-Length: 18446744073709551617\n", "&"),
    "empty length": ("Content-Length:\n", "&"), "length with tab": ("Content-Length:\t#\n", "&"),
    "length, space before colon": ("Content-Length : #\n", "&"), "folded length": ("Content-Length:\n #\n", "&"),
    "length_": ("Content_Length: #\n", "&"), "length after CR": ("X-A: b\rContent-Length: #\n", "&"),
    "length after LF": ("X-A: b\x01Content-Length: #\n", "&"), "length after NUL": ("X-A: b\0Content-Length: #\n", "&"),
    "no field, body": ("", "&"), "length 1.0": ("Content-Length: #.0\n", "&"), "length with ;": ("Content-Length: #;x\n", "&"),
    "length in a name": ("X Content-Length: #\n", "&"), "length -0": ("Content-Length: -0\n", "&"),
    "chunked": ("Transfer-Encoding: chunked\n", "%\n&\n0\n\n"), "Chunked": ("Transfer-Encoding: ChUnKeD\n", "%\n&\n0\n\n"),
    "empty chunked": ("Transfer-Encoding: chunked\n", "0\n\n"), "chunked, body after": ("Transfer-Encoding: chunked\n", "0\n\n&"),
    "chunked and length": ("Transfer-Encoding: chunked\nContent-Length: 5\n", "0\n\n&"),
    "length and chunked": ("Content-Length: 5\nTransfer-Encoding: chunked\n", "0\n\n&"),
    "chunked and length 0": ("Transfer-Encoding: chunked\nContent-Length: 0\n", "%\n&\n0\n\n"),
    "chunked, space before colon": ("Transfer-Encoding : chunked\n", "0\n\n&"), "chunked with tab": ("Transfer-Encoding:\tchunked\n", "0\n\n&"),
    "chunked with VT": ("Transfer-Encoding: \x0bchunked\n", "0\n\n&"), "xchunked": ("Transfer-Encoding: xchunked\n", "0\n\n&"),
    "chunked, identity": ("Transfer-Encoding: chunked, identity\n", "0\n\n&"), "identity": ("Transfer-Encoding: identity\n", "&"),
    "identity, chunked": ("Transfer-Encoding: identity, chunked\n", "0\n\n&"), "gzip, chunked": ("Transfer-Encoding: gzip, chunked\n", "0\n\n&"),
    "chunked twice": ("Transfer-Encoding: chunked, chunked\n", "0\n\n&"),
    "chunked and x": ("Transfer-Encoding: chunked\nTransfer-Encoding: x\n", "0\n\n&"),
    "x and chunked": ("Transfer-Encoding: x\nTransfer-Encoding: chunked\n", "0\n\n&"),
    "chunked in quotes": ("Transfer-Encoding: \"chunked\"\n", "0\n\n&"), "empty coding": ("Transfer-Encoding:\n", "&"),
    "folded chunked": ("Transfer-Encoding:\n chunked\n", "0\n\n&"), "coding_": ("Transfer_Encoding: chunked\n", "0\n\n&"),
    "length, folded coding": ("Content-Length: 5\nTransfer-Encoding:\n chunked\n", "0\n\n&"),
    "length, xchunked": ("Content-Length: 5\nTransfer-Encoding: xchunked\n", "0\n\n&"),
    "length, identity": ("Content-Length: 5\nTransfer-Encoding: identity\n", "0\n\n&"),
    "length, coding after CR": ("Content-Length: 5\nX-A: b\rTransfer-Encoding: chunked\n", "0\n\n&"),
    "length, coding after LF": ("Content-Length: 5\nX-A: b\x01Transfer-Encoding: chunked\n", "0\n\n&"),
    "chunk extension": ("Transfer-Encoding: chunked\n", "0;a=b\n\n&"), "chunk extension, quoted": ("Transfer-Encoding: chunked\n", "0;a=\"b;c\"\n\n&"),
    "chunk extension with LF": ("Transfer-Encoding: chunked\n", "0;a\x01\n\n&"), "chunk size 0x0": ("Transfer-Encoding: chunked\n", "0x0\n\n&"),
    "chunk size 000": ("Transfer-Encoding: chunked\n", "000\n\n&"), "chunk size with space": ("Transfer-Encoding: chunked\n", "0 \n\n&"),
    "chunk size after space": ("Transfer-Encoding: chunked\n", " 0\n\n&"), "chunk size -0": ("Transfer-Encoding: chunked\n", "-0\n\n&"),
    "huge chunk": ("Transfer-Encoding: chunked\n", "10000000000000000\n&"), "chunk with LF": ("Transfer-Encoding: chunked\n", "0\x01\x01&"),
    "chunk with CR": ("Transfer-Encoding: chunked\n", "0\r\r&"), "chunk too long": ("Transfer-Encoding: chunked\n", "1\nab\n0\n\n&"),
    "no last chunk": ("Transfer-Encoding: chunked\n", "%\n&\n"), "trailer": ("Transfer-Encoding: chunked\n", "0\nX-A: b\n\n&"),
    "length in a trailer": ("Transfer-Encoding: chunked\n", "0\nContent-Length: 5\n\n&"), "trailer without end": ("Transfer-Encoding: chunked\n", "0\nX-A: b\n"),
}
PARTS = {
    "method": METHOD, "target": TARGET, "version": VERSION, "start": START, "host": HOST, "field": FIELD, "frame": FRAME, "end": END,
    "next": {"alone": False, "another follows": True},
}


def defaults():
    return {part: next(iter(alternatives)) for part, alternatives in PARTS.items()}


def choices(count):
    """Returns the chosen alternatives of each head: each alone and with another request behind it, then pairs and triples."""
    odd = [(part, name) for part, alternatives in PARTS.items() for name in list(alternatives)[1:] if part != "next"]
    found = [()] + [(one,) for one in odd]
    # A difference about the length is what the garden looks for: each frame with each other oddity comes first.
    pairs = [pair for pair in itertools.combinations(odd, 2) if pair[0][0] != pair[1][0]]
    random.Random(47).shuffle(pairs)
    pairs.sort(key=lambda pair: not any(part == "frame" for part, _ in pair))
    framed = [pair for pair in pairs if any(part == "frame" for part, _ in pair)][: count // 2]
    others = [pair for pair in pairs if not any(part == "frame" for part, _ in pair)][: count // 3]
    found += list(itertools.chain.from_iterable(itertools.zip_longest(framed, others)))
    both = itertools.chain.from_iterable((one, one + (("next", "another follows"),)) if len(one) < 2 else (one,) for one in found if one is not None)
    # Every second pair has another request behind it.
    result = [one + (("next", "another follows"),) if len(one) == 2 and one[-1][0] != "next" and n % 2 else one for n, one in enumerate(both)]
    return [defaults() | dict(one) for one in result[:count]]


def names(choice):
    """Returns what is odd about a head."""
    return [name for part, name in choice.items() if name != next(iter(PARTS[part])) and part != "next"] or ["valid"]


def written(choice, case, token):
    """Returns the bytes of a head, with its body and the request behind it."""
    end = END[choice["end"]] or "\r\n"
    target = TARGET[choice["target"]].replace("@", PATH + case, 1) if choice["target"] != "absolute, user" else "http://a:b@127.0.0.1" + PATH + case
    inner = lambda name: f"GET {PATH}{name} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {token}\r\n\r\n"
    other = inner(case + "-hidden")
    fields, body = FRAME[choice["frame"]]
    length = lambda text: text.replace("#", str(len(other))).replace("%", f"{len(other):x}")
    line = METHOD[choice["method"]] + " " + target + VERSION[choice["version"]] + "\n"
    fields = HOST[choice["host"]] + f"X-Case: {case}\nAuthorization: Bearer {token}\n" + FIELD[choice["field"]] + length(fields)
    head = (line + fields).replace("\n", end)
    last = {"LF at the end": "\n", "CR at the end": "\r"}.get(choice["end"], end)
    body = length(body).replace("\n", "\r\n").replace("&", other)
    text = (START[choice["start"]] + head + last + body).replace("\x01", "\n")
    if PARTS["next"][choice["next"]]:
        text += inner(case + "-next")
    return text.encode("latin-1")
