"""Verifies an audit chain without Causeway: python3 verify-audit.py TENANT < records.ndjson

Reads one record of GET /api/v1/audit/records per line, from position 1 or from where retention left off. The format is
in audit-chain.md. Prints the last position and its hash, to compare with a signed head. Needs only the standard library.
"""

import base64
import hashlib
import json
import sys


def canonical(value):
    """RFC 8785, for what records contain: no fractions, and names in ASCII."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode()


def sha256(data):
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()


def raw(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def verify(tenant, lines):
    previous, position, start, erased = None, 0, None, {}
    for line in lines:
        record = json.loads(line)
        position, body = record["position"], record.get("body")
        if "unsealedId" in record:
            sys.exit(f"position {position}: entry {record['unsealedId']} was inserted")
        if previous is None:
            start = (position - 1, record["previous"])
            if position == 1 and record["previous"] == sha256(f"causeway audit chain 1\n{tenant}".encode()):
                start = None
        elif position != expected or record["previous"] != previous:
            sys.exit(f"position {expected}: the chain has a gap")
        parts = [(record["leaf"], body)]
        parts += [(body[name], record[name]) for name in ("personal", "hidden") if body and name in record]
        if body is None or any(sha256(canonical(part)) != digest for digest, part in parts):
            sys.exit(f"position {position}: the entry was changed or removed")
        previous, expected = sha256(raw(record["previous"]) + raw(record["leaf"])), position + 1
        if "personal" in body and "personal" not in record:
            erased[body["id"]] = position
        if body["kind"] == "erasure":
            for entry in body["entries"]:
                erased.pop(entry, None)
        if body["kind"] == "retention" and (body["through"], body["hash"]) == start:
            start = None
        if body["kind"] == "break":
            sys.exit(f"position {body['at']}: the head was not signed by the deployment")
    if start or erased:
        sys.exit(f"position {1 if start else min(erased.values())}: data was removed without an entry that says so")
    print(position, previous)


if __name__ == "__main__":
    verify(sys.argv[1], sys.stdin)
