"""Client for Votary, the self-hosted vote verification service. Python 3.9 or newer, standard library only.

    from votary import Votary

    votary = Votary("https://votes.example.org", os.environ["VOTARY_API_KEY"])
    result = votary.claim(external_id="Steve_42")
    if result["claimed"]:
        give_reward(result["vote"])

Results are dictionaries with the fields of the API. Dates are ISO 8601 strings in UTC.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import http.client
import json
import re
import socket
import ssl
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid
from datetime import datetime, timezone
from typing import Any, Callable, Iterator, Mapping, Sequence

__version__ = "0.2.0"
__all__ = ["Votary", "VotaryError", "WebhookError", "verify_webhook"]

BATCH_SIZE = 50
# Pauses before the second and the third attempt, if the response does not say how long to wait.
RETRY_PAUSES = (1, 3)
# Requests per minute that the feed leaves for claims and checks.
FEED_RESERVED_REQUESTS = 10
FEED_LONGEST_PAUSE = 30
TEMPORARY_CODES = ("RATE_LIMITED", "NETWORK_ERROR", "TIMEOUT")
TEMPORARY_STATUSES = (429, 502, 503, 504)
# None is a network error.
RETRIED_STATUSES = (None, *TEMPORARY_STATUSES)


class VotaryError(Exception):
    """`code` is stable: RATE_LIMITED, INVALID_API_TOKEN, NETWORK_ERROR ... The message is for your log.

    `status` is None if there was no response. `retry_after` is in seconds, or None. `fields` lists the invalid
    parameters, for VALIDATION_ERROR.
    """

    def __init__(
        self,
        code: str,
        message: str,
        status: int | None = None,
        retry_after: float | None = None,
        fields: Sequence[Mapping[str, str]] = (),
    ) -> None:
        super().__init__(f"{code}: {message}")
        self.code = code
        self.message = message
        self.status = status
        self.retry_after = retry_after
        self.fields = list(fields)


class WebhookError(Exception):
    """The delivery is not from your Votary service, or is too old. Respond with 401 and do nothing."""


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """Redirects are not followed, because one could send the key to another host."""

    def redirect_request(self, *_: Any) -> None:
        return None


class Votary:
    """A client for the API of one community. Safe to use from several threads."""

    def __init__(
        self,
        url: str,
        key: str,
        *,
        timeout: float = 10,
        max_wait: float = 10,
        locale: str | None = None,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        """`timeout` is per request. `max_wait` is the longest pause before a retry: a call that has to wait longer fails with `retry_after`."""
        if not url.startswith("https://"):
            raise ValueError("url must start with https://")
        if not key:
            raise ValueError("key is empty: check that the variable you read it from is set")
        self._url = url.rstrip("/")
        self._key = key.strip()
        self._timeout = timeout
        self._max_wait = max_wait
        self._locale = locale
        self._sleep = sleep
        self._opener = urllib.request.build_opener(_NoRedirect)

    # Checks

    def check(self, *, discord_id: str | None = None, external_id: str | None = None) -> dict[str, Any]:
        """Whether a user voted within the last hour. To grant a reward, use `claim`."""
        return self._call("GET", "/vote-check", {"discord_id": discord_id, "external_id": external_id})[0]

    def checks(
        self, *, discord_ids: Sequence[str] = (), external_ids: Sequence[str] = ()
    ) -> list[dict[str, Any]]:
        """Checks any number of users and returns the results in the same order. Sends one request per 50 users."""
        return self._batches("/vote-checks", discord_ids, external_ids, {})

    # Claims

    def claim(
        self,
        *,
        discord_id: str | None = None,
        external_id: str | None = None,
        within_hours: int | None = None,
        idempotency_key: str | None = None,
        consumer: str | None = None,
    ) -> dict[str, Any]:
        """Claims the oldest unclaimed vote of a user: {"claimed", "vote", "remaining", "replayed", "guild_id", "consumer"}.

        Each vote can be claimed only once by each `consumer`, such as "bot" or "survival" (default: "default"). For 24 hours, the same `idempotency_key` with the same arguments returns the
        same result: store it before the call, to be able to repeat the call after a crash. Without one, a new key is used.
        Only for a test vote of the dashboard the result has "test", which is True: grant nothing for it.
        """
        parameters = _claims(discord_id, external_id, within_hours, consumer)
        headers = {"Idempotency-Key": _idempotency_key(idempotency_key or str(uuid.uuid4()))}
        body, response_headers = self._call("POST", "/guild/claims", parameters, headers)
        return {**body, "replayed": response_headers.get("Idempotent-Replayed") == "true"}

    def claims(
        self,
        *,
        discord_id: str | None = None,
        external_id: str | None = None,
        within_hours: int | None = None,
        consumer: str | None = None,
    ) -> dict[str, Any]:
        """The claimed and claimable votes of a user: {"claimable", "claimed", "votes"}. Read-only."""
        parameters = _claims(discord_id, external_id, within_hours, consumer)
        return self._call("GET", "/guild/claims", parameters)[0]

    def claimable(
        self,
        *,
        discord_ids: Sequence[str] = (),
        external_ids: Sequence[str] = (),
        within_hours: int | None = None,
        consumer: str | None = None,
    ) -> list[dict[str, Any]]:
        """How many votes of any number of users can be claimed: [{"external_id", "claimable"}] in the same order. Read-only.

        Sends one request per 50 users, so that a server can ask for all players and claim only where there is something.
        """
        parameters = {"within_hours": within_hours, "consumer": consumer}
        return self._batches("/guild/claimable", discord_ids, external_ids, parameters)

    def release(
        self,
        vote: str | Mapping[str, Any],
        claimed_at: datetime | str | None = None,
        *,
        consumer: str | None = None,
    ) -> bool:
        """Makes a claimed vote claimable again. Pass the vote as `claim` returned it: `release(result["vote"])`.

        Then only this claim is released, and the call is retried like any other. Returns False if the vote is not claimed any
        more, or was claimed again since: an earlier attempt may have released it. Instead of the vote, you can pass its `vote_id` and
        `claimed_at`. Without `claimed_at` the claim is released whoever holds it, and only a rate limit is retried. `consumer` is the one
        that claimed it.
        """
        vote_id = vote
        if not isinstance(vote, str):
            vote_id, claimed_at = vote["vote_id"], vote["claimed_at"]
            if claimed_at is None:
                raise ValueError("release needs a vote as claim returned it, with claimed_at")
        if not re.fullmatch(r"\w+", vote_id, re.ASCII):
            raise VotaryError("INVALID_VOTE_ID", "vote_id must be the vote_id of a claimed vote")
        # Without claimed_at, a second request could release a newer claim.
        retried = (429,) if claimed_at is None else RETRIED_STATUSES
        parameters = {"claimed_at": _iso(claimed_at), "consumer": consumer}
        return self._call("DELETE", f"/guild/claims/{vote_id}", parameters, retried=retried)[0]["released"]

    def pending_claims(
        self, *, within_hours: int | None = None, consumer: str | None = None
    ) -> Iterator[dict[str, Any]]:
        """Every unclaimed vote of the community (Premium), oldest first."""
        cursor = None
        while True:
            parameters = {"within_hours": within_hours, "consumer": consumer, "limit": 1000, "cursor": cursor}
            body = self._call("GET", "/guild/claims/pending", parameters)[0]
            yield from body["votes"]
            cursor = body["pagination"]["next_cursor"]
            if cursor is None:
                return

    # Goal

    def goal(self) -> dict[str, Any]:
        """The goal of the community: {"guild_id", "goal"}. `goal` is None, or {"period", "target", "votes", "remaining", "resets_at"}."""
        return self._call("GET", "/guild/goal", {})[0]

    # Feed

    def feed(
        self,
        cursor: str | None = None,
        *,
        start: datetime | str | None = None,
        limit: int = 100,
        wait: int = 25,
    ) -> Iterator[tuple[list[dict[str, Any]], str]]:
        """Every new vote, forever, as (votes, cursor). Store the cursor after processing the votes.

        Without a cursor, the feed starts at `start` (at most 31 days ago), or now; its first page may then be empty. Keeps trying
        while the service is unavailable; raises errors that a retry cannot fix, such as INVALID_API_TOKEN.
        """
        while True:
            started = time.monotonic()
            body, headers = self._feed_page(
                {
                    "cursor": cursor,
                    "from": _iso(start) if cursor is None else None,
                    "limit": limit,
                    # The first request does not wait for votes, so that the caller can store the start immediately.
                    "wait": 0 if cursor is None else wait,
                }
            )
            is_start = cursor is None
            if body["votes"] or is_start:
                yield body["votes"], body["next_cursor"]
            cursor = body["next_cursor"]
            remaining, reset = _rate_limit(headers)
            if remaining <= FEED_RESERVED_REQUESTS:
                self._sleep(reset)
            elif not body["votes"] and not is_start:
                self._sleep(max(0.0, 1 - (time.monotonic() - started)))

    def _feed_page(self, parameters: Mapping[str, Any]) -> tuple[dict[str, Any], Mapping[str, str]]:
        pause = 1
        while True:
            try:
                return self._call("GET", "/guild/feed", parameters, timeout=self._timeout + parameters["wait"])
            except VotaryError as error:
                if error.code not in TEMPORARY_CODES and error.status not in (500, *TEMPORARY_STATUSES):
                    raise
                self._sleep(error.retry_after or pause)
                pause = min(pause * 2, FEED_LONGEST_PAUSE)

    # Links

    def vote_link(
        self,
        guild_id: str,
        *,
        external_id: str | None = None,
        return_to: str | None = None,
        secret: str | None = None,
        expires: datetime | int | None = None,
    ) -> str:
        """The address of the voting page. `return_to` is an https address; `secret` (vls_...) and `expires` sign the link."""
        parameters = {"external_id": external_id, "return_to": return_to}
        if secret is not None:
            if expires is None:
                raise ValueError("a signed link needs expires")
            seconds = int(expires.timestamp() if isinstance(expires, datetime) else expires)
            content = f"v1.{guild_id}.{seconds}.{external_id or ''}"
            digest = hmac.new(secret.encode(), content.encode(), hashlib.sha256).digest()
            parameters["expires"] = str(seconds)
            parameters["signature"] = base64.urlsafe_b64encode(digest).decode().rstrip("=")
        query = _query(parameters)
        return f"{self._url}/guild/{urllib.parse.quote(guild_id, safe='')}/vote" + (f"?{query}" if query else "")

    # Requests

    def _batches(
        self, path: str, discord_ids: Sequence[str], external_ids: Sequence[str], parameters: Mapping[str, Any]
    ) -> list[dict[str, Any]]:
        if discord_ids and external_ids:
            raise VotaryError("MULTIPLE_IDENTIFIERS", "pass discord_ids or external_ids, not both")
        name, ids = ("discord_id", discord_ids) if discord_ids else ("external_id", external_ids)
        results: list[dict[str, Any]] = []
        for start in range(0, len(ids), BATCH_SIZE):
            batch = list(ids[start : start + BATCH_SIZE])
            results += self._call("GET", path, {name: batch, **parameters})[0]["results"]
        return results

    def _call(
        self,
        method: str,
        path: str,
        parameters: Mapping[str, Any],
        headers: Mapping[str, str] = {},
        timeout: float | None = None,
        retried: Sequence[int | None] = RETRIED_STATUSES,
    ) -> tuple[dict[str, Any], Mapping[str, str]]:
        """`retried` lists the statuses that are retried; None is a network error."""
        query = _query({**parameters, "locale": self._locale})
        request = urllib.request.Request(
            f"{self._url}/v7{path}" + (f"?{query}" if query else ""),
            method=method,
            headers={
                "Authorization": f"Bearer {self._key}",
                "Accept": "application/json",
                "User-Agent": f"votary-python/{__version__}",
                **headers,
            },
        )
        for pause in (*RETRY_PAUSES, None):
            try:
                return self._send(request, timeout or self._timeout)
            except VotaryError as error:
                if pause is None or error.status not in retried or error.code == "CERTIFICATE_ERROR":
                    raise
                # A request before retry_after has passed would be rejected again.
                pause = error.retry_after or pause
                if pause > self._max_wait:
                    raise
            self._sleep(pause)
        raise AssertionError("unreachable")

    def _send(self, request: urllib.request.Request, timeout: float) -> tuple[dict[str, Any], Mapping[str, str]]:
        try:
            with self._opener.open(request, timeout=timeout) as response:
                status, headers, text = response.status, response.headers, response.read()
        except urllib.error.HTTPError as response:
            with response:
                raise _read_error(response.code, response.headers, response.read()) from None
        except (OSError, http.client.HTTPException) as error:
            raise self._read_network_error(getattr(error, "reason", error)) from error
        body = _parse(text)
        if body is None:
            raise VotaryError("INVALID_RESPONSE", f"the response from {self._url} is not JSON: check the address", status)
        return body, headers

    def _read_network_error(self, reason: object) -> VotaryError:
        if isinstance(reason, ssl.SSLCertVerificationError):
            advice = "if it is self-signed, set SSL_CERT_FILE to the certificate"
            return VotaryError("CERTIFICATE_ERROR", f"{reason.verify_message}: {advice}")
        if isinstance(reason, socket.timeout):
            return VotaryError("TIMEOUT", f"{self._url} did not respond in time")
        return VotaryError("NETWORK_ERROR", f"{self._url} could not be reached: {reason}")


def verify_webhook(
    body: bytes,
    headers: Mapping[str, str],
    secret: str | Sequence[str],
    *,
    tolerance: int = 300,
    now: Callable[[], float] = time.time,
) -> dict[str, Any]:
    """Verifies a webhook and returns its event, {"id", "type", "timestamp", "data"}. Raises WebhookError if the signature is invalid.

    `body` is the body exactly as it arrived. `secret` is whsec_..., or several while a secret is being rotated. An event can
    arrive more than once, with the same id.
    """
    lower = {name.lower(): value for name, value in headers.items()}
    event_id, sent_at = lower.get("webhook-id", ""), lower.get("webhook-timestamp", "")
    if not event_id or not re.fullmatch(r"[0-9]{1,12}", sent_at):
        raise WebhookError("the headers webhook-id and webhook-timestamp are missing or malformed")
    if abs(now() - int(sent_at)) > tolerance:
        raise WebhookError("the delivery is too old, or the clock of this machine is wrong")
    content = f"{event_id}.{sent_at}.".encode() + body
    given = lower.get("webhook-signature", "").split(" ")
    for key in map(_webhook_key, [secret] if isinstance(secret, str) else secret):
        digest = hmac.new(key, content, hashlib.sha256).digest()
        expected = b"v1," + base64.b64encode(digest)
        if any(hmac.compare_digest(expected, signature.encode()) for signature in given):
            event = _parse(body)
            if event is None or not isinstance(event.get("type"), str) or not isinstance(event.get("data"), dict):
                raise WebhookError("the body is not an event")
            return {**event, "id": event_id}
    raise WebhookError("the signature does not match: check the secret, and that the body is unchanged")


def _webhook_key(secret: str) -> bytes:
    try:
        text = secret.strip()
        return base64.b64decode(text[6:] if text.startswith("whsec_") else text, validate=True)
    except binascii.Error:
        raise ValueError("the webhook secret must be whsec_ followed by base64") from None


def _claims(
    discord_id: str | None, external_id: str | None, within_hours: int | None, consumer: str | None
) -> dict[str, Any]:
    identity = {"discord_id": discord_id, "external_id": external_id}
    return {**identity, "within_hours": within_hours, "consumer": consumer}


def _idempotency_key(key: str) -> str:
    if not re.fullmatch(r"[\x21-\x7e]{1,255}", key):
        raise ValueError("idempotency_key must be 1 to 255 visible ASCII characters, without spaces")
    return key


def _query(parameters: Mapping[str, Any]) -> str:
    return urllib.parse.urlencode({k: v for k, v in parameters.items() if v is not None}, doseq=True)


def _iso(value: datetime | str | None) -> str | None:
    if not isinstance(value, datetime):
        return value
    return value.astimezone(timezone.utc).isoformat(timespec="milliseconds")


def _rate_limit(headers: Mapping[str, str]) -> tuple[float, float]:
    """(remaining requests, seconds until the limit resets), from `RateLimit: "default";r=12;t=41`."""
    match = re.search(r";\s*r=(\d+)\s*;\s*t=(\d+)", headers.get("RateLimit") or "")
    return (int(match[1]), int(match[2])) if match else (float("inf"), 0)


def _parse(text: bytes) -> dict[str, Any] | None:
    try:
        body = json.loads(text)
    except ValueError:
        return None
    return body if isinstance(body, dict) else None


def _read_error(status: int, headers: Mapping[str, str], text: bytes) -> VotaryError:
    body = _parse(text) or {}
    header = headers.get("Retry-After") or ""
    retry_after = body.get("retry_after", int(header) if header.isdecimal() else None)
    if isinstance(body.get("errors"), list):
        message = "; ".join(f"{field.get('field')}: {field.get('message')}" for field in body["errors"])
        return VotaryError("VALIDATION_ERROR", message, status, fields=body["errors"])
    if isinstance(body.get("error"), str):
        return VotaryError(body["error"], str(body.get("message", "")), status, retry_after)
    if status == 429:
        return VotaryError("RATE_LIMITED", "a proxy rejected the request: too many requests", status, retry_after)
    message = f"the response (HTTP {status}) is not from the Votary API: check the address"
    return VotaryError("INVALID_RESPONSE", message, status, retry_after)
