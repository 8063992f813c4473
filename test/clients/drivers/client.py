"""Runs calls of the shared cases with the Python client: one JSON line in, one out."""

import json
import sys

from votary import Votary, VotaryError, WebhookError, verify_webhook


def call(client, name, given):
    if name == "verify_webhook":
        now = given["now"]
        return verify_webhook(given["body"].encode(), given["headers"], given["secret"], now=lambda: now)
    votary = Votary(client["url"], client["key"], locale=client.get("locale"))
    if name == "feed":
        votes, cursor = next(
            votary.feed(
                given.get("cursor"), start=given.get("from"), limit=given.get("limit", 100), wait=given["wait"]
            )
        )
        return {"votes": votes, "cursor": cursor}
    result = getattr(votary, name)(**given)
    return list(result) if name == "pending_claims" else result


for line in sys.stdin:
    step = json.loads(line)
    try:
        outcome = {"result": call(step["client"], step["call"], step["arguments"])}
    except VotaryError as error:
        fields = {"code": error.code, "message": error.message, "status": error.status, "fields": error.fields}
        outcome = {"error": fields}
    except WebhookError as error:
        outcome = {"error": {"code": "WEBHOOK_REFUSED", "message": str(error)}}
    print(json.dumps(outcome), flush=True)
