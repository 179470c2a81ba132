"""Cookies and the tokens of forms."""

import hmac
import secrets
from typing import Final

from starlette.requests import Request
from starlette.responses import Response

_SESSION: Final = "audit21_session"
_FORM: Final = "audit21_form"
THEME: Final = "audit21_theme"
ZONE: Final = "audit21_zone"  # utc, where somebody wants it
FIELD: Final = "csrf"
HEADER: Final = "X-CSRF-Token"
_SAME_SITE: Final = ("same-origin", "none")


def _name(request: Request, name: str) -> str:
    """Over https a browser takes a name with this prefix from this host alone."""
    return f"__Host-{name}" if request.url.scheme == "https" else name


def session_id(request: Request) -> str | None:
    """The session that the browser claims to be in."""
    return request.cookies.get(_name(request, _SESSION))


def set_session(request: Request, response: Response, session_id: str) -> None:
    """Tell the browser its session; it goes when the browser is closed, or earlier by our clock."""
    _set(request, response, _SESSION, session_id, "lax")


def clear_session(request: Request, response: Response) -> None:
    """Make the browser forget its session."""
    response.delete_cookie(_name(request, _SESSION), path="/", secure=request.url.scheme == "https", httponly=True)


def form_token(request: Request) -> str | None:
    """Return the token of forms for a visitor who has not signed in, from the browser's cookie."""
    return request.cookies.get(_name(request, _FORM))


def new_token() -> str:
    """Make a random token that cannot be guessed."""
    return secrets.token_urlsafe(32)


def set_form_token(request: Request, response: Response, token: str) -> None:
    """Keep the token in the browser, to be compared with the form's."""
    _set(request, response, _FORM, token, "strict")


def _set(request: Request, response: Response, name: str, value: str, same_site: str) -> None:
    secure = request.url.scheme == "https"
    response.headers.append(
        "Set-Cookie",
        f"{_name(request, name)}={value}; Path=/; HttpOnly; SameSite={same_site}{'; Secure' if secure else ''}",
    )


def is_ours(request: Request, expected: str | None, given: str) -> bool:
    """Return whether a change was requested by a page of this server, judged by its token and the browser's headers."""
    if request.headers.get("Sec-Fetch-Site", "same-origin") not in _SAME_SITE:
        return False
    origin = request.headers.get("Origin")
    if origin is not None and origin != f"{request.url.scheme}://{request.url.netloc}":
        return False
    return bool(expected) and hmac.compare_digest((expected or "").encode(), given.encode())
