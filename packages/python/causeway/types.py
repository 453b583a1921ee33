# Generated from the OpenAPI document by `npm run generate`. Not to be edited.
from __future__ import annotations

import sys
from typing import Any, Dict, List, Literal, Union

if sys.version_info >= (3, 11):
    from typing import NotRequired, TypedDict
else:
    from typing_extensions import NotRequired, TypedDict


ProblemCode = Literal[
    "input_invalid",
    "body_unreadable",
    "body_too_large",
    "content_type_unsupported",
    "method_not_allowed",
    "not_found",
    "credential_invalid",
    "key_limited",
    "key_purpose",
    "idempotency_key_reused",
    "idempotency_key_busy",
    "rate_limited",
    "not_in_test_mode",
    "test_mode_only",
    "store_unavailable",
    "unexpected",
    "origin_foreign",
    "form_repeated",
    "console_off",
    "sign_in_needed",
    "sign_in_failed",
    "sign_in_unavailable",
    "sign_in_stale",
    "sign_in_time_unknown",
    "role_missing",
    "session_started",
    "integration_unavailable",
    "connect_ended",
    "callback_malformed",
    "callback_unknown",
    "callback_foreign",
    "completion_early",
    "completion_refused",
    "completion_used",
    "completion_late",
    "provider_unavailable",
    "provider_unusable",
    "backlog_full",
    "connection_limit",
    "alias_taken",
    "link_not_resumable",
    "link_not_endable",
    "workspace_taken",
    "workspace_unknown",
    "tenant_exists",
    "tenant_suspended",
    "tenant_deleted",
    "settings_changed",
    "settings_break_connections",
    "settings_absent",
    "connection_busy",
    "connection_disconnected",
    "connection_not_linked",
    "tool_list_outdated",
    "rollback_impossible",
    "campaign_empty",
    "import_cancelled",
    "platform_unavailable",
    "relay_refused",
    "access_tokens_refused",
    "approval_required",
    "account_unusable",
    "app_unavailable",
    "webhook_limit",
    "webhook_secret_limit",
    "webhook_disabled",
]


WhoseMove = Literal[
    "user",
    "tenant",
    "support",
    "operator",
    "provider",
    "platform",
]


CauseCode = Literal[
    "consent_denied",
    "user_cancelled",
    "consent_failed",
    "session_expired",
    "session_cancelled",
    "completion_missing",
    "completion_refused",
    "callback_rejected",
    "code_refused",
    "client_rejected",
    "request_rejected",
    "redirect_uri_rejected",
    "client_forgotten",
    "client_registration_refused",
    "mcp_server_unprotected",
    "mcp_server_redirects",
    "mcp_metadata_unusable",
    "mcp_issuer_unexpected",
    "client_secret_expired",
    "app_unverified",
    "app_suspended",
    "admin_approval_needed",
    "clock_wrong",
    "callback_missing",
    "provider_unavailable",
    "answer_malformed",
    "answer_unreadable",
    "identity_invalid",
    "no_refresh_token",
    "refresh_tokens_off",
    "refresh_tokens_not_approved",
    "scope_missing",
    "scope_insufficient",
    "account_mismatch",
    "import_account_mismatch",
    "already_connected",
    "connection_limit",
    "grant_unusable",
    "relink_rolled_back",
    "grant_revoked",
    "profile_mismatch",
    "check_held_back",
    "refresh_refused",
    "connection_gone",
    "connection_busy",
    "exchange_unknown",
    "platform_unavailable",
    "platform_refused",
    "platform_misconfigured",
    "address_blocked",
    "name_taken",
    "integration_removed",
    "worker_crashed",
    "sealed_unreadable",
    "function_failed",
]


ConnectionDisconnectedEventDataRevocation = Literal[
    "revoked",
    "not_kept",
    "not_offered",
    "shared",
    "refused",
    "blocked",
    "client_gone",
]


IntegrationCategory = Literal[
    "accounting",
    "analytics",
    "calendar",
    "commerce",
    "communication",
    "crm",
    "design",
    "developer-tools",
    "documents",
    "education",
    "files",
    "finance",
    "forms",
    "health",
    "hr",
    "identity",
    "mail",
    "marketing",
    "media",
    "payments",
    "productivity",
    "project-management",
    "sales",
    "social",
    "support",
    "travel",
    "other",
]


ToolPolicyRelayMethodsItem = Literal[
    "GET",
    "HEAD",
    "OPTIONS",
    "POST",
    "PUT",
    "PATCH",
    "DELETE",
]


ToolPolicyApprovalMethodsItem = Literal[
    "GET",
    "HEAD",
    "OPTIONS",
    "POST",
    "PUT",
    "PATCH",
    "DELETE",
]


TestOutcome = Literal[
    "approved",
    "denied",
    "partial",
    "no_refresh_token",
    "expires",
    "revoked",
    "slow",
    "other_account",
]


LinkStatus = Literal[
    "pending",
    "linked",
    "cancelled",
    "denied",
    "abandoned",
    "failed",
    "needs_attention",
]


LinkStep = Literal[
    "consent",
    "exchange",
    "connection",
    "function",
    "verification",
]


ConnectionStatus = Literal[
    "active",
    "needs_relink",
    "not_linked",
    "disconnected",
]


ConnectionTaskStep = Literal[
    "revoke_grant",
    "remove_function",
    "remove_connection",
    "test_grant",
    "replace_grant",
    "verify_function",
    "clean_up",
    "restore",
]


ConnectionTaskRevocation = Literal[
    "revoked",
    "not_kept",
    "not_offered",
    "shared",
    "refused",
    "blocked",
    "client_gone",
]


ImportRowStatus = Literal[
    "waiting",
    "pending",
    "linked",
    "failed",
    "needs_attention",
    "invalid",
    "cancelled",
]


ImportRowProblemCode = Literal[
    "members_invalid",
    "integration_unknown",
    "grant_unsupported",
    "token_malformed",
    "inputs_invalid",
    "token_repeated",
    "key_reused",
]


CreatedWebhookEventsItem = Literal[
    "link.succeeded",
    "link.failed",
    "connection.relinked",
    "connection.needs_relink",
    "connection.health_unknown",
    "connection.grant_ends_soon",
    "connection.tools_changed",
    "connection.approval_requested",
    "connection.approval_decided",
    "connection.disconnected",
    "end_user.erased",
    "tenant.deleted",
    "audit.recorded",
]


WebhookEventsItem = Literal[
    "link.succeeded",
    "link.failed",
    "connection.relinked",
    "connection.needs_relink",
    "connection.health_unknown",
    "connection.grant_ends_soon",
    "connection.tools_changed",
    "connection.approval_requested",
    "connection.approval_decided",
    "connection.disconnected",
    "end_user.erased",
    "tenant.deleted",
    "audit.recorded",
]


WebhookWithNewSecretEventsItem = Literal[
    "link.succeeded",
    "link.failed",
    "connection.relinked",
    "connection.needs_relink",
    "connection.health_unknown",
    "connection.grant_ends_soon",
    "connection.tools_changed",
    "connection.approval_requested",
    "connection.approval_decided",
    "connection.disconnected",
    "end_user.erased",
    "tenant.deleted",
    "audit.recorded",
]


WebhookDeliveryEventType = Literal[
    "link.succeeded",
    "link.failed",
    "connection.relinked",
    "connection.needs_relink",
    "connection.health_unknown",
    "connection.grant_ends_soon",
    "connection.tools_changed",
    "connection.approval_requested",
    "connection.approval_decided",
    "connection.disconnected",
    "end_user.erased",
    "tenant.deleted",
    "audit.recorded",
]


WebhookDeliveryFailureReason = Literal[
    "blocked",
    "unreachable",
    "unanswered",
    "too_large",
    "redirected",
    "refused",
    "gone",
    "webhook_disabled",
    "worker_crashed",
]


EventType = Literal[
    "link.succeeded",
    "link.failed",
    "connection.relinked",
    "connection.needs_relink",
    "connection.health_unknown",
    "connection.grant_ends_soon",
    "connection.tools_changed",
    "connection.approval_requested",
    "connection.approval_decided",
    "connection.disconnected",
    "end_user.erased",
    "tenant.deleted",
    "audit.recorded",
]


AuditEntryAction = Literal[
    "tenant.put",
    "tenant.suspended",
    "tenant.reactivated",
    "tenant.exported",
    "tenant.deletion_started",
    "tenant.sessions_cancelled",
    "tenant.deleted",
    "tenant.signing_secret_rotated",
    "tenant.oauth_client_put",
    "tenant.oauth_client_deleted",
    "tenant.logo_put",
    "tenant.logo_deleted",
    "key.created",
    "key.revoked",
    "key.exposed",
    "key.encryption_rotated",
    "authz.denied",
    "event.triggered",
    "session.minted",
    "session.cancelled",
    "relink.minted",
    "return_url.rejected",
    "connect.rejected",
    "callback.rejected",
    "callback.replayed",
    "completion.rejected",
    "link.started",
    "link.imported",
    "link.authorizing",
    "link.code_waiting",
    "link.exchanging",
    "link.exchange_withdrawn",
    "link.escrowed",
    "link.testing",
    "link.tested",
    "link.connection_ready",
    "link.function_ready",
    "link.verified",
    "link.linked",
    "link.rolling_back",
    "link.revoking",
    "link.needs_attention",
    "link.cancelled",
    "link.denied",
    "link.abandoned",
    "link.failed",
    "link.exchange_unknown",
    "link.resumed",
    "link.ended",
    "relink.account_mismatch",
    "end_user.erasure_started",
    "end_user.erased",
    "import.created",
    "import.rows_added",
    "import.cancelled",
    "connection.created",
    "connection.renamed",
    "connection.needs_relink",
    "connection.health_unknown",
    "connection.grant_ends_soon",
    "connection.account_learned",
    "connection.recovered",
    "connection.checked",
    "connection.verified",
    "connection.verify_failed",
    "connection.tools_changed",
    "connection.tools_approved",
    "access_token.issued",
    "connection.approval_requested",
    "connection.approval_decided",
    "function_login.created",
    "function_login.ended",
    "function_grant.revoked",
    "manage_session.minted",
    "manage_session.opened",
    "manage_session.ended",
    "manage_session.revoked",
    "manage.rejected",
    "disconnect.started",
    "disconnect.failed",
    "connection.grant_revocation",
    "connection.function_removed",
    "connection.disconnected",
    "rollback.started",
    "rollback.tested",
    "rollback.swapped",
    "rollback.verified",
    "rollback.reverting",
    "rollback.failed",
    "connection.rolled_back",
    "campaign.started",
    "campaign.cancelled",
    "webhook.created",
    "webhook.deleted",
    "webhook.secret_rotated",
    "webhook.enabled",
    "webhook.disabled",
    "webhook.replayed",
    "webhook.failed_replayed",
    "egress.blocked",
    "console.signed_in",
    "console.refused",
    "console.denied",
    "csrf.rejected",
    "console.signed_out_everywhere",
    "oauth_client.registered",
    "oauth_client.forgotten",
    "integration.examined",
    "integration.settings_put",
    "integration.settings_removed",
    "integration.settings_rolled_back",
    "tenant.tool_policy_put",
    "tenant.tool_policy_removed",
    "connection.tool_policy_put",
    "connection.tool_policy_removed",
    "audit.exported",
    "list.exported",
]


AuditEntrySubjectKind = Literal[
    "tenant",
    "oauth_client",
    "api_key",
    "connect_session",
    "link",
    "connection",
    "manage_session",
    "campaign",
    "import",
    "erasure",
    "webhook",
    "webhook_delivery",
    "console_user",
]


ExportRecordType = Literal[
    "tenant",
    "oauth_client",
    "webhook",
    "connection",
    "link",
    "import",
    "erasure",
    "audit_entry",
]


ErasureReceiptGrantsItemRevocation = Literal[
    "revoked",
    "not_kept",
    "not_offered",
    "shared",
    "refused",
    "blocked",
    "client_gone",
]


WebhookRequestEventsItem = Literal[
    "link.succeeded",
    "link.failed",
    "connection.relinked",
    "connection.needs_relink",
    "connection.health_unknown",
    "connection.grant_ends_soon",
    "connection.tools_changed",
    "connection.approval_requested",
    "connection.approval_decided",
    "connection.disconnected",
    "end_user.erased",
    "tenant.deleted",
    "audit.recorded",
]


class Problem(TypedDict):
    """Why a request was rejected (RFC 9457)."""

    type: str
    """The URL of the page that explains the problem, relative to the deployment's URL."""
    title: str
    status: int
    """The HTTP status."""
    detail: str
    """What is wrong with this request, in words for people."""
    instance: str
    """The ID of the request. Give it to support."""
    code: ProblemCode
    whoseMove: WhoseMove
    docs: str
    """The page that explains this problem."""
    errors: NotRequired[List[ProblemErrorsItem]]
    """The invalid parts of the request."""


class ProblemErrorsItem(TypedDict):
    pointer: str
    """A JSON pointer to the field of the body. For a parameter or a header: `/` and its name."""
    parameter: NotRequired[str]
    """The name of the invalid query or path parameter. Absent if the error is elsewhere."""
    header: NotRequired[str]
    """The name of the invalid header. Absent if the error is elsewhere."""
    detail: str
    """What is expected, in words for people."""


class LinkSucceededEvent(TypedDict):
    """An account was linked, and its function works."""

    id: str
    """The `webhook-id` header. It is the same if the message is delivered again."""
    type: Literal["link.succeeded"]
    timestamp: str
    """When the event happened."""
    data: LinkSucceededEventData


class LinkSucceededEventData(TypedDict):
    tenantId: str
    testMode: NotRequired[Literal[True]]
    """Present in test mode, which uses no real account and no platform."""
    integrationId: str
    endUser: EndUser
    """Messages only contain the ID, not the name or email address."""
    linkId: str
    purpose: Literal["link", "relink"]
    """`relink`: the link replaced the grant of an existing connection."""
    connectSessionId: str
    connectionId: str
    alias: NotRequired[str]
    """The name of this account for agents and for its user."""
    labels: NotRequired[Dict[str, str]]
    """Your own names and values."""


class EndUser(TypedDict):
    """The tenant's user who owns the account."""

    id: str
    """The tenant's ID for the user."""
    displayName: NotRequired[str]
    email: NotRequired[str]


class LinkFailedEvent(TypedDict):
    """A link ended `failed`, `denied`, `cancelled` or `abandoned`."""

    id: str
    """The `webhook-id` header. It is the same if the message is delivered again."""
    type: Literal["link.failed"]
    timestamp: str
    """When the event happened."""
    data: LinkFailedEventData


class LinkFailedEventData(TypedDict):
    tenantId: str
    testMode: NotRequired[Literal[True]]
    """Present in test mode, which uses no real account and no platform."""
    integrationId: str
    endUser: EndUser
    """Messages only contain the ID, not the name or email address."""
    linkId: str
    purpose: Literal["link", "relink"]
    """`relink`: the link replaced the grant of an existing connection."""
    connectSessionId: str
    connectionId: NotRequired[str]
    """The connection that was re-linked, for purpose `relink`."""
    cause: Cause


class Cause(TypedDict):
    """Why something does not work, and who has to act."""

    code: CauseCode
    whoseMove: WhoseMove
    title: str
    advice: str
    guide: str
    """The page that explains this cause, relative to the deployment's URL."""


class ConnectionRelinkedEvent(TypedDict):
    """A connection has a new grant and works."""

    id: str
    """The `webhook-id` header. It is the same if the message is delivered again."""
    type: Literal["connection.relinked"]
    timestamp: str
    """When the event happened."""
    data: ConnectionRelinkedEventData


class ConnectionRelinkedEventData(TypedDict):
    tenantId: str
    testMode: NotRequired[Literal[True]]
    """Present in test mode, which uses no real account and no platform."""
    integrationId: str
    endUser: EndUser
    """Messages only contain the ID, not the name or email address."""
    linkId: str
    purpose: Literal["link", "relink"]
    """`relink`: the link replaced the grant of an existing connection."""
    connectSessionId: str
    connectionId: str
    alias: NotRequired[str]
    """The name of this account for agents and for its user."""
    labels: NotRequired[Dict[str, str]]
    """Your own names and values."""


class ConnectionNeedsRelinkEvent(TypedDict):
    """The grant no longer works. Ask the user to reconnect: see Create a re-link session."""

    id: str
    """The `webhook-id` header. It is the same if the message is delivered again."""
    type: Literal["connection.needs_relink"]
    timestamp: str
    """When the event happened."""
    data: ConnectionNeedsRelinkEventData


class ConnectionNeedsRelinkEventData(TypedDict):
    tenantId: str
    testMode: NotRequired[Literal[True]]
    """Present in test mode, which uses no real account and no platform."""
    connectionId: str
    integrationId: str
    endUser: EndUser
    """Messages only contain the ID, not the name or email address."""
    alias: NotRequired[str]
    """The name of this account for agents and for its user."""
    labels: NotRequired[Dict[str, str]]
    """Your own names and values."""
    cause: Cause


class ConnectionHealthUnknownEvent(TypedDict):
    """Health checks were inconclusive for a day or three times in a row. The connection may still work."""

    id: str
    """The `webhook-id` header. It is the same if the message is delivered again."""
    type: Literal["connection.health_unknown"]
    timestamp: str
    """When the event happened."""
    data: ConnectionHealthUnknownEventData


class ConnectionHealthUnknownEventData(TypedDict):
    tenantId: str
    testMode: NotRequired[Literal[True]]
    """Present in test mode, which uses no real account and no platform."""
    connectionId: str
    integrationId: str
    endUser: EndUser
    """Messages only contain the ID, not the name or email address."""
    alias: NotRequired[str]
    """The name of this account for agents and for its user."""
    labels: NotRequired[Dict[str, str]]
    """Your own names and values."""
    since: str
    """The first inconclusive check."""
    cause: Cause


class ConnectionGrantEndsSoonEvent(TypedDict):
    """The provider ends grants at a max age, even if they are used, and this grant will soon reach it. Sent once per grant. Ask the user to reconnect before then: see Create a re-link session."""

    id: str
    """The `webhook-id` header. It is the same if the message is delivered again."""
    type: Literal["connection.grant_ends_soon"]
    timestamp: str
    """When the event happened."""
    data: ConnectionGrantEndsSoonEventData


class ConnectionGrantEndsSoonEventData(TypedDict):
    tenantId: str
    testMode: NotRequired[Literal[True]]
    """Present in test mode, which uses no real account and no platform."""
    connectionId: str
    integrationId: str
    endUser: EndUser
    """Messages only contain the ID, not the name or email address."""
    alias: NotRequired[str]
    """The name of this account for agents and for its user."""
    labels: NotRequired[Dict[str, str]]
    """Your own names and values."""
    endsAt: str
    """When the provider ends the grant."""


class ConnectionToolsChangedEvent(TypedDict):
    """The vendor’s MCP server behind the connection has changed its tools. While the change is held, agents see the approved tools. Read the tool list and approve the change."""

    id: str
    """The `webhook-id` header. It is the same if the message is delivered again."""
    type: Literal["connection.tools_changed"]
    timestamp: str
    """When the event happened."""
    data: ConnectionToolsChangedEventData


class ConnectionToolsChangedEventData(TypedDict):
    tenantId: str
    testMode: NotRequired[Literal[True]]
    """Present in test mode, which uses no real account and no platform."""
    connectionId: str
    integrationId: str
    endUser: EndUser
    """Messages only contain the ID, not the name or email address."""
    alias: NotRequired[str]
    """The name of this account for agents and for its user."""
    labels: NotRequired[Dict[str, str]]
    """Your own names and values."""
    held: bool
    """Whether the change waits for approval. If false, agents already see it."""
    added: NotRequired[int]
    """The number of new tools. Only present while the change is held."""
    removed: NotRequired[int]
    """The number of removed tools. Only present while the change is held."""
    changed: NotRequired[int]
    """The number of changed tools. Only present while the change is held."""


class ConnectionApprovalRequestedEvent(TypedDict):
    """The operator’s policy requires an approval for a call of the connection’s function. The people who may decide open `url`. It grants nothing, so you can send it to them."""

    id: str
    """The `webhook-id` header. It is the same if the message is delivered again."""
    type: Literal["connection.approval_requested"]
    timestamp: str
    """When the event happened."""
    data: ConnectionApprovalRequestedEventData


class ConnectionApprovalRequestedEventData(TypedDict):
    tenantId: str
    testMode: NotRequired[Literal[True]]
    """Present in test mode, which uses no real account and no platform."""
    connectionId: str
    integrationId: str
    endUser: EndUser
    """Messages only contain the ID, not the name or email address."""
    alias: NotRequired[str]
    """The name of this account for agents and for its user."""
    labels: NotRequired[Dict[str, str]]
    """Your own names and values."""
    approvalId: str
    """The `id` in the list of approvals of the connection."""
    tool: str
    """The name of the tool, or `relay` and the method. Arguments are not sent."""
    url: str
    """The page on which the call is shown and decided."""
    expiresAt: str
    """When the question ends."""


class ConnectionApprovalDecidedEvent(TypedDict):
    """A person allowed or declined a call, or nobody decided in time."""

    id: str
    """The `webhook-id` header. It is the same if the message is delivered again."""
    type: Literal["connection.approval_decided"]
    timestamp: str
    """When the event happened."""
    data: ConnectionApprovalDecidedEventData


class ConnectionApprovalDecidedEventData(TypedDict):
    tenantId: str
    testMode: NotRequired[Literal[True]]
    """Present in test mode, which uses no real account and no platform."""
    connectionId: str
    integrationId: str
    endUser: EndUser
    """Messages only contain the ID, not the name or email address."""
    alias: NotRequired[str]
    """The name of this account for agents and for its user."""
    labels: NotRequired[Dict[str, str]]
    """Your own names and values."""
    approvalId: str
    """The `id` in the list of approvals of the connection."""
    tool: str
    """The name of the tool, or `relay` and the method. Arguments are not sent."""
    outcome: Literal["once", "hour", "decline", "expired"]
    """`once`: this call was allowed. `hour`: calls of the tool are allowed for an hour. `decline`: the call was declined. `expired`: nobody decided."""


class ConnectionDisconnectedEvent(TypedDict):
    """The function and the stored grant were deleted. Unless `revocation` is `revoked` or `shared`, the app still lists the access, and the user can remove it in their account there."""

    id: str
    """The `webhook-id` header. It is the same if the message is delivered again."""
    type: Literal["connection.disconnected"]
    timestamp: str
    """When the event happened."""
    data: ConnectionDisconnectedEventData


class ConnectionDisconnectedEventData(TypedDict):
    tenantId: str
    testMode: NotRequired[Literal[True]]
    """Present in test mode, which uses no real account and no platform."""
    connectionId: str
    integrationId: str
    endUser: EndUser
    """Messages only contain the ID, not the name or email address."""
    alias: NotRequired[str]
    """The name of this account for agents and for its user."""
    labels: NotRequired[Dict[str, str]]
    """Your own names and values."""
    revocation: NotRequired[ConnectionDisconnectedEventDataRevocation]
    """The result of revoking the grant at the provider, as in the disconnect task."""


class EndUserErasedEvent(TypedDict):
    """No data here names the user any more, including this message. For the receipt, read the erasure."""

    id: str
    """The `webhook-id` header. It is the same if the message is delivered again."""
    type: Literal["end_user.erased"]
    timestamp: str
    """When the event happened."""
    data: EndUserErasedEventData


class EndUserErasedEventData(TypedDict):
    tenantId: str
    testMode: NotRequired[Literal[True]]
    """Present in test mode, which uses no real account and no platform."""
    erasureId: str
    """The erasure ID returned by `POST /erasures`."""


class TenantDeletedEvent(TypedDict):
    """The tenant and all of its data were deleted. This is the last event that its endpoints receive."""

    id: str
    """The `webhook-id` header. It is the same if the message is delivered again."""
    type: Literal["tenant.deleted"]
    timestamp: str
    """When the event happened."""
    data: TenantDeletedEventData


class TenantDeletedEventData(TypedDict):
    tenantId: str
    testMode: NotRequired[Literal[True]]
    """Present in test mode, which uses no real account and no platform."""


class AuditRecordedEvent(TypedDict):
    """A batch of the tenant’s audit chain, as in List audit records. Only for endpoints that name this event. Batches may arrive out of order: `first` of the next one is `last` plus one."""

    id: str
    """The `webhook-id` header. It is the same if the message is delivered again."""
    type: Literal["audit.recorded"]
    timestamp: str
    """When the event happened."""
    data: AuditRecordedEventData


class AuditRecordedEventData(TypedDict):
    tenantId: str
    testMode: NotRequired[Literal[True]]
    """Present in test mode, which uses no real account and no platform."""
    first: int
    """The position of the first record."""
    last: int
    """The position of the last record."""
    records: List[AuditRecord]
    """The records as of now, oldest first. Some are missing if they have been deleted since."""
    head: NotRequired[str]
    """The signed head of the chain at a position of the batch, as a JWS. Keep it."""


class AuditRecord(TypedDict):
    """A position of an audit chain."""

    position: int
    """The position in the chain, from 1."""
    body: NotRequired[Dict[str, Any]]
    """What `leaf` was made of: `kind` is `entry`, `erasure`, `retention` or `break`. Absent if the entry was removed."""
    personal: NotRequired[Dict[str, Any]]
    """The part of an entry that an erasure deletes. Absent after one. `body.personal` is its digest."""
    hidden: NotRequired[Dict[str, Any]]
    """The part that only deployment keys see. `body.hidden` is its digest."""
    leaf: NotRequired[str]
    """As sealed, of `body` in canonical JSON (RFC 8785). SHA-256 in base64url."""
    previous: NotRequired[str]
    """`hash` of the position before. SHA-256 in base64url."""
    hash: NotRequired[str]
    """Of the bytes of `previous` and `leaf`. SHA-256 in base64url."""
    unsealedId: NotRequired[str]
    """The ID of an entry before this position that no position names. It was inserted."""


class TenantList(TypedDict):
    """A page of the list."""

    data: List[Tenant]
    nextCursor: NotRequired[str]
    """Send it as `cursor` for the next page. Absent on the last page."""


class Tenant(TypedDict):
    """A customer of the deployment."""

    id: str
    testMode: NotRequired[Literal[True]]
    """Present in test mode, which uses no real account and no platform."""
    workspace: str
    displayName: str
    returnUrls: List[str]
    branding: NotRequired[TenantBranding]
    """Absent if not set."""
    logos: NotRequired[TenantLogos]
    """Absent if the tenant has no logos."""
    maxConnectionsPerUser: int
    """The max number of connections per end user and integration. 0: no limit."""
    status: Literal["active", "suspended", "deleting", "deleted"]
    """No session or link can be started for a `suspended` or `deleting` tenant. For the progress of a deletion, read the deletion."""
    createdAt: str
    updatedAt: str


class TenantBranding(TypedDict):
    """Absent if not set."""

    accentColor: NotRequired[str]
    """The color of buttons and links. It is darkened or lightened if needed for contrast on light and dark pages."""
    supportUrl: NotRequired[str]
    """Your help page. Must use https, like the other URLs."""
    privacyUrl: NotRequired[str]
    """Your privacy policy."""
    termsUrl: NotRequired[str]
    """Your terms of use."""
    wording: NotRequired[Dict[str, TenantBrandingWordingValue]]
    """Texts on the connect page by language (BCP 47). Each text is one line of plain text with at most 200 characters, without markup, URLs, symbols or invisible characters. They are shown as quotes of the tenant on pages in that language."""


class TenantBrandingWordingValue(TypedDict):
    """The texts in one language."""

    intro: NotRequired[str]
    """Why you ask for access. Shown below the list of permissions."""
    help: NotRequired[str]
    """Where users can get help. Shown below the buttons."""


class TenantLogos(TypedDict):
    """Absent if the tenant has no logos."""

    light: NotRequired[Logo]
    """For light pages. Also used on dark pages if `dark` is absent."""
    dark: NotRequired[Logo]
    """For dark pages. Only used if `light` is present."""


class Logo(TypedDict):
    """The picture made from the uploaded image."""

    url: str
    """The path of the picture, relative to the deployment's URL. The picture at a path never changes."""
    width: int
    """The displayed width in CSS pixels. The picture has up to twice as many pixels."""
    height: int
    """The same."""
    readableOnDark: NotRequired[bool]
    """Whether the picture is readable on dark pages. If `false` and there is no logo for dark pages, the picture stands on a white tile there: upload one. Absent for logos from before 0.4.0."""


class CreatedTenant(TypedDict):
    """The new tenant, with the secret that signs its return URLs."""

    id: str
    testMode: NotRequired[Literal[True]]
    """Present in test mode, which uses no real account and no platform."""
    workspace: str
    displayName: str
    returnUrls: List[str]
    branding: NotRequired[CreatedTenantBranding]
    """Absent if not set."""
    logos: NotRequired[CreatedTenantLogos]
    """Absent if the tenant has no logos."""
    maxConnectionsPerUser: int
    """The max number of connections per end user and integration. 0: no limit."""
    status: Literal["active", "suspended", "deleting", "deleted"]
    """No session or link can be started for a `suspended` or `deleting` tenant. For the progress of a deletion, read the deletion."""
    createdAt: str
    updatedAt: str
    signingSecret: str
    """Verifies `sig` on return URLs. Shown only once."""


class CreatedTenantBranding(TypedDict):
    """Absent if not set."""

    accentColor: NotRequired[str]
    """The color of buttons and links. It is darkened or lightened if needed for contrast on light and dark pages."""
    supportUrl: NotRequired[str]
    """Your help page. Must use https, like the other URLs."""
    privacyUrl: NotRequired[str]
    """Your privacy policy."""
    termsUrl: NotRequired[str]
    """Your terms of use."""
    wording: NotRequired[Dict[str, CreatedTenantBrandingWordingValue]]
    """Texts on the connect page by language (BCP 47). Each text is one line of plain text with at most 200 characters, without markup, URLs, symbols or invisible characters. They are shown as quotes of the tenant on pages in that language."""


class CreatedTenantBrandingWordingValue(TypedDict):
    """The texts in one language."""

    intro: NotRequired[str]
    """Why you ask for access. Shown below the list of permissions."""
    help: NotRequired[str]
    """Where users can get help. Shown below the buttons."""


class CreatedTenantLogos(TypedDict):
    """Absent if the tenant has no logos."""

    light: NotRequired[Logo]
    """For light pages. Also used on dark pages if `dark` is absent."""
    dark: NotRequired[Logo]
    """For dark pages. Only used if `light` is present."""


class RotatedSigningSecret(TypedDict):
    """The new signing secret and when it becomes active."""

    secret: str
    """Verifies `sig` on return URLs. Shown only once."""
    activeFrom: str
    """From this time on, results are signed with `secret`."""
    previousSecretExpiresAt: str
    """Accept signatures of both secrets until this time: results are sent through browsers."""


class TenantDeletion(TypedDict):
    """The progress of a tenant deletion."""

    tenantId: str
    status: Literal["pending", "done"]
    """`pending` continues automatically."""
    step: NotRequired[Literal["end_links", "disconnect", "notify", "erase"]]
    """The current step. Absent when done."""
    connectionsLeft: int
    """How many connections are not yet disconnected."""
    startedAt: str
    updatedAt: str


class IntegrationList(TypedDict):
    """A page of the list."""

    data: List[Integration]
    nextCursor: NotRequired[str]
    """Send it as `cursor` for the next page. Absent on the last page."""


class Integration(TypedDict):
    """A third-party app that can be linked."""

    id: str
    kind: Literal["api", "mcp"]
    """`mcp`: the vendor's own MCP server, which functions forward to. `api`: tools at its API."""
    displayName: str
    description: str
    permissions: List[IntegrationPermissionsItem]
    inputs: NotRequired[List[IntegrationInputsItem]]
    """Values that are required before the user can sign in, such as a subdomain. Send them as `inputs` of a connect session; otherwise the connect page asks the user, unless there is a default."""
    category: NotRequired[IntegrationCategory]
    """Absent if the deployment defines the integration."""
    tier: NotRequired[Literal["verified", "corroborated", "listed", "discovered"]]
    """`verified`: checked against the vendor's documentation within a year. `corroborated`: two independent sources agree. `listed`: one source; links are only possible after the operator adds it to the integrations file."""
    asOf: NotRequired[str]
    """The date when the data was last checked."""
    available: bool
    """Whether a link can be started: an OAuth client is configured or can be registered."""


class IntegrationPermissionsItem(TypedDict):
    scope: str
    description: str
    onRequest: NotRequired[Literal[True]]
    """Requested only if a session names it in `scopes`. The user may decline it."""


class IntegrationInputsItem(TypedDict):
    name: str
    label: str
    help: NotRequired[str]
    """A hint that helps the user find the value."""
    pattern: str
    """A regular expression that must match the whole value."""
    default: NotRequired[str]
    """Used unless you send another value. The user is not asked."""


class IntegrationSettings(TypedDict):
    """The settings of an integration, without secrets."""

    integrationId: str
    source: Literal["api", "file", "catalogue"]
    """Which entry applies. `api`: these settings. `file`: that of the integrations file. `catalogue`: the shipped profile, without a client."""
    version: int
    """0 if the settings were never changed by API."""
    settings: NotRequired[Dict[str, Any]]
    """Without `clientSecret`. Absent if the settings were removed."""
    hasClientSecret: NotRequired[bool]
    """Whether a client secret is stored."""
    changedAt: NotRequired[str]
    """When this version was saved."""
    changedBy: NotRequired[IntegrationSettingsChangedBy]
    """The actor, as in the audit log."""
    reason: NotRequired[str]
    restoredVersion: NotRequired[int]
    """The earlier version that this one repeats."""


class IntegrationSettingsChangedBy(TypedDict):
    """The actor, as in the audit log."""

    kind: str
    id: NotRequired[str]
    name: NotRequired[str]


class IntegrationSettingsVersionList(TypedDict):
    """A page of the list."""

    data: List[IntegrationSettingsVersion]
    nextCursor: NotRequired[str]
    """Send it as `cursor` for the next page. Absent on the last page."""


class IntegrationSettingsVersion(TypedDict):
    """A version of the settings of an integration, without secrets. It never changes."""

    version: int
    """Counts all changes of the deployment."""
    settings: NotRequired[Dict[str, Any]]
    """Without `clientSecret`. Absent if the settings were removed."""
    hasClientSecret: bool
    """Whether a client secret is stored."""
    changedAt: str
    """When this version was saved."""
    changedBy: IntegrationSettingsVersionChangedBy
    """The actor, as in the audit log."""
    reason: NotRequired[str]
    restoredVersion: NotRequired[int]
    """The earlier version that this one repeats."""
    changedMembers: List[str]
    """Members that differ from the version before."""


class IntegrationSettingsVersionChangedBy(TypedDict):
    """The actor, as in the audit log."""

    kind: str
    id: NotRequired[str]
    name: NotRequired[str]


class ToolPolicyState(TypedDict):
    """The tool policy of a tenant or a connection."""

    version: int
    """0 if there never was a policy."""
    policy: NotRequired[ToolPolicy]
    """Absent if there is none."""
    changedAt: NotRequired[str]
    """When this version was saved."""
    changedBy: NotRequired[ToolPolicyStateChangedBy]
    """The actor, as in the audit log."""
    reason: NotRequired[str]
    effective: NotRequired[ToolPolicyStateEffective]
    """Of a connection: the result of all policies, as the platform applies them now."""


class ToolPolicyStateChangedBy(TypedDict):
    """The actor, as in the audit log."""

    kind: str
    id: NotRequired[str]
    name: NotRequired[str]


class ToolPolicyStateEffective(TypedDict):
    """Of a connection: the result of all policies, as the platform applies them now."""

    allow: NotRequired[List[str]]
    """Only these tools. Absent: every tool."""
    deny: List[str]
    """Not these tools."""
    readOnly: bool
    """Whether only tools that change nothing are allowed."""
    relay: List[Dict[str, List[str]]]
    """A request of the relay must fit all of them."""
    accessTokens: bool
    """Whether access tokens may be issued."""
    perMinute: Dict[str, int]
    """The lowest limit of each tool."""
    approval: List[Dict[str, Any]]
    """A call that one of them selects has to be allowed."""
    decidedBy: Dict[str, List[str]]
    """By member, whose policies count: `file` of the operator, `integration`, `tenant`, `connection`."""


class ToolPolicy(TypedDict):
    """Which tools may be called."""

    allow: NotRequired[List[str]]
    """Only these tools. A tool must be in the lists of all policies."""
    deny: NotRequired[List[str]]
    """Not these tools."""
    readOnly: NotRequired[bool]
    """Only tools that change nothing. The tool for other requests may only GET."""
    relay: NotRequired[ToolPolicyRelay]
    """What the HTTP relay allows."""
    accessTokens: NotRequired[Literal[False]]
    """No access tokens."""
    perMinute: NotRequired[Dict[str, int]]
    """Calls per minute of one tool of one function. `*` applies to tools without their own limit."""
    approval: NotRequired[ToolPolicyApproval]
    """Calls that a person has to allow."""


class ToolPolicyRelay(TypedDict):
    """What the HTTP relay allows."""

    methods: NotRequired[List[ToolPolicyRelayMethodsItem]]
    """Allowed methods."""
    paths: NotRequired[List[str]]
    """Allowed paths. May end with `*`."""


class ToolPolicyApproval(TypedDict):
    """Calls that a person has to allow."""

    calls: NotRequired[Literal["destructive", "writing", "all"]]
    """Calls that may destroy, that write, or all."""
    tools: NotRequired[List[str]]
    """Names of tools."""
    methods: NotRequired[List[ToolPolicyApprovalMethodsItem]]
    """Methods of HTTP requests."""
    approvers: NotRequired[ToolPolicyApprovalApprovers]
    """Who may allow the call. If several policies select the call and name approvers, only people whom all of them name. If none names approvers, the person whose login made the call, or the owner of the connection."""


class ToolPolicyApprovalApprovers(TypedDict):
    """Who may allow the call. If several policies select the call and name approvers, only people whom all of them name. If none names approvers, the person whose login made the call, or the owner of the connection."""

    members: NotRequired[List[str]]
    """Email addresses of members of the workspace."""
    endUsers: NotRequired[List[str]]
    """End users, by the ID that the tenant knows them by."""


class ToolPolicyVersionList(TypedDict):
    """A page of the list."""

    data: List[ToolPolicyVersion]
    nextCursor: NotRequired[str]
    """Send it as `cursor` for the next page. Absent on the last page."""


class ToolPolicyVersion(TypedDict):
    """A version of a tool policy. It never changes."""

    version: int
    """Counts all changes of the deployment."""
    policy: NotRequired[ToolPolicy]
    """Absent if the policy was removed."""
    changedAt: str
    """When this version was saved."""
    changedBy: ToolPolicyVersionChangedBy
    """The actor, as in the audit log."""
    reason: NotRequired[str]
    restoredVersion: NotRequired[int]
    """The earlier version that this one repeats."""
    changedMembers: List[str]
    """Members that differ from the version before."""


class ToolPolicyVersionChangedBy(TypedDict):
    """The actor, as in the audit log."""

    kind: str
    id: NotRequired[str]
    name: NotRequired[str]


class OAuthClientDetailsList(TypedDict):
    """A page of the list."""

    data: List[OAuthClientDetails]
    nextCursor: NotRequired[str]
    """Send it as `cursor` for the next page. Absent on the last page."""


class OAuthClientDetails(TypedDict):
    """An OAuth client of a tenant, without its secret."""

    integrationId: str
    clientId: str
    method: NotRequired[Literal["client_secret_post", "client_secret_basic", "none"]]
    """How the client authenticates. Absent if the integration is no longer offered."""
    createdAt: str
    updatedAt: str


class OAuthClient(TypedDict):
    """An OAuth client of a tenant, without its secret."""

    integrationId: str
    clientId: str


class CreatedConnectSession(TypedDict):
    """The new connect session, with the URL for its user."""

    id: str
    purpose: Literal["link", "relink"]
    """`relink`: a new grant for `connectionId`."""
    tenantId: str
    testMode: NotRequired[Literal[True]]
    """Present in test mode, which uses no real account and no platform."""
    integrationId: NotRequired[str]
    """With `integrationIds`: the one that the user started. Absent until then."""
    integrationIds: NotRequired[List[str]]
    """The choices of the user. An empty list offers every integration that the tenant can use."""
    endUser: EndUser
    returnUrl: NotRequired[str]
    """If absent, the browser stays on a page of the deployment."""
    connectionId: NotRequired[str]
    """The connection that a `relink` session re-links."""
    ifConnected: NotRequired[Literal["add", "relink", "refuse"]]
    """For `link` sessions: what to do if the account is already connected."""
    alias: NotRequired[str]
    """The name of this account for agents and for its user."""
    labels: NotRequired[Dict[str, str]]
    """Your own names and values."""
    scopes: NotRequired[List[str]]
    """The scopes that the session names. In a `relink` session, in addition to the usual ones."""
    status: Literal["open", "started", "expired", "cancelled"]
    linkId: NotRequired[str]
    """Present once the user has started."""
    cause: NotRequired[Cause]
    """Why the user was not redirected to the app at the latest attempt, and whose move it is. Absent once there is a link, which has its own cause."""
    locale: NotRequired[str]
    """The language of the pages, if set."""
    testOutcome: NotRequired[TestOutcome]
    """The chosen outcome in test mode."""
    expiresAt: str
    createdAt: str
    url: str
    """Redirect the end user's browser to this URL. It is a secret and returned only once."""
    grantLimit: NotRequired[CreatedConnectSessionGrantLimit]
    """For re-links: present if the account may have reached the app’s limit of grants per client. The new grant then ends the oldest one, which another connection may use, or is refused."""


class CreatedConnectSessionGrantLimit(TypedDict):
    """For re-links: present if the account may have reached the app’s limit of grants per client. The new grant then ends the oldest one, which another connection may use, or is refused."""

    live: int
    """How many live grants of this client the account may have now."""
    limit: int
    """The maximum that the app allows."""
    beyond: Literal["oldest_ends", "refused"]
    """What the app does beyond the limit: end the oldest grant or refuse the new one."""


class ConnectSession(TypedDict):
    """A short-lived permission for one browser to link an integration to one tenant."""

    id: str
    purpose: Literal["link", "relink"]
    """`relink`: a new grant for `connectionId`."""
    tenantId: str
    testMode: NotRequired[Literal[True]]
    """Present in test mode, which uses no real account and no platform."""
    integrationId: NotRequired[str]
    """With `integrationIds`: the one that the user started. Absent until then."""
    integrationIds: NotRequired[List[str]]
    """The choices of the user. An empty list offers every integration that the tenant can use."""
    endUser: EndUser
    returnUrl: NotRequired[str]
    """If absent, the browser stays on a page of the deployment."""
    connectionId: NotRequired[str]
    """The connection that a `relink` session re-links."""
    ifConnected: NotRequired[Literal["add", "relink", "refuse"]]
    """For `link` sessions: what to do if the account is already connected."""
    alias: NotRequired[str]
    """The name of this account for agents and for its user."""
    labels: NotRequired[Dict[str, str]]
    """Your own names and values."""
    scopes: NotRequired[List[str]]
    """The scopes that the session names. In a `relink` session, in addition to the usual ones."""
    status: Literal["open", "started", "expired", "cancelled"]
    linkId: NotRequired[str]
    """Present once the user has started."""
    cause: NotRequired[Cause]
    """Why the user was not redirected to the app at the latest attempt, and whose move it is. Absent once there is a link, which has its own cause."""
    locale: NotRequired[str]
    """The language of the pages, if set."""
    testOutcome: NotRequired[TestOutcome]
    """The chosen outcome in test mode."""
    expiresAt: str
    createdAt: str


class Link(TypedDict):
    """One attempt to obtain a grant and set up its function, from consent to verification."""

    id: str
    purpose: Literal["link", "relink"]
    """`relink`: a new grant for an existing connection."""
    connectSessionId: str
    importId: NotRequired[str]
    """The import that the grant came from."""
    tenantId: str
    testMode: NotRequired[Literal[True]]
    """Present in test mode, which uses no real account and no platform."""
    integrationId: str
    endUser: EndUser
    connectionId: NotRequired[str]
    """The connection being re-linked or, once `linked`, the connection that was created."""
    status: LinkStatus
    waitingFor: NotRequired[Literal["consent", "completion"]]
    """Present while a `pending` link waits for an action. `consent`: the user is at the provider, or on the way there. `completion`: the user has consented, and your server must complete the connect session within about two minutes."""
    step: LinkStep
    """The current step. For an ended link, the last step reached."""
    progress: List[LinkProgressItem]
    """Every step, in order."""
    cause: NotRequired[Cause]
    causeForUser: NotRequired[UserWords]
    """The cause in words for the end user, in the `locale` of the connect session or in English."""
    attempts: int
    """How often `step` has failed. `cause` is the last error."""
    nextAttemptAt: NotRequired[str]
    """When the step is retried. Absent during an attempt and after the link has ended."""
    missingScopes: NotRequired[List[str]]
    """Permissions the user did not grant."""
    continueUrl: NotRequired[str]
    """Present when the user must consent again. Redirect the same browser to it."""
    connection: NotRequired[LinkConnection]
    """Present when `linked`."""
    createdAt: str
    updatedAt: str


class LinkProgressItem(TypedDict):
    step: LinkStep
    status: Literal["done", "current", "waiting", "failed"]


class LinkConnection(TypedDict):
    """Present when `linked`."""

    id: str
    name: str
    """Its name on the platform."""
    workspace: str
    functionName: str
    functionUrl: str
    """Append `/mcp` for the URL of the MCP server."""
    upstreamAccount: NotRequired[UpstreamAccount]


class UserWords(TypedDict):
    """The texts that our pages show to end users, for use on your own pages."""

    locale: str
    """The language of the texts, as a BCP 47 tag."""
    title: str
    """What happened, in a few words."""
    advice: str
    """What the user can do, or that they need not do anything."""


class UpstreamAccount(TypedDict):
    """The account at the third party that granted access."""

    id: str
    label: str
    claimed: NotRequired[Literal[True]]
    """Present if the provider did not confirm this account: it comes from an import or the URL of the callback. Re-links are not pinned to it."""


class LinkList(TypedDict):
    """A page of the list."""

    data: List[Link]
    nextCursor: NotRequired[str]
    """Send it as `cursor` for the next page. Absent on the last page."""


class LinkResumption(TypedDict):
    """The result of a resumption."""

    resumed: int
    """How many links were resumed."""
    skipped: int
    """Links that were already resumed, or whose connection has been linked again since."""
    hasMore: bool
    """More links need attention for this cause."""


class Connection(TypedDict):
    """The permanent result of a link: an end user’s account and the function that acts for it."""

    id: str
    tenantId: str
    testMode: NotRequired[Literal[True]]
    """Present in test mode, which uses no real account and no platform."""
    workspace: str
    integrationId: str
    name: str
    """The name of the connection on the platform."""
    functionName: str
    functionUrl: str
    """Append `/mcp` for the URL of the MCP server."""
    alias: NotRequired[str]
    """The name of this account for agents and for its user."""
    labels: NotRequired[Dict[str, str]]
    """Your own names and values."""
    upstreamAccount: NotRequired[UpstreamAccount]
    scopes: List[str]
    """The granted scopes."""
    missingScopes: NotRequired[List[str]]
    """Scopes that the connection requests and was not granted: the user declined them, the integration requests them since, or a call of the function lacked them. Name them as `scopes` of a re-link session. Not part of exports."""
    config: NotRequired[Dict[str, str]]
    """Values that were typed for the account or returned by the provider, such as its subdomain. For an MCP server, the discovered values."""
    status: ConnectionStatus
    cause: NotRequired[Cause]
    """Why the connection needs a re-link."""
    causeForUser: NotRequired[UserWords]
    """The cause in words for the end user, with the names of the app and the tenant. Not part of exports."""
    checkedAt: NotRequired[str]
    """When the connection was last checked."""
    healthUnknownSince: NotRequired[str]
    """Since then no check has been conclusive. `GET /connections/{connectionId}/health` returns the causes."""
    grantEndsAt: NotRequired[str]
    """When the provider ends the grant, regardless of use. Re-link before. Present in the last two weeks or, for grants that live less than 56 days, in the last quarter of their life."""
    relinkedAt: NotRequired[str]
    disconnectedAt: NotRequired[str]
    endUser: EndUser
    createdAt: str
    updatedAt: str


class ConnectionList(TypedDict):
    """A page of the list."""

    data: List[Connection]
    nextCursor: NotRequired[str]
    """Send it as `cursor` for the next page. Absent on the last page."""


class HealthCheck(TypedDict):
    """The result of one check of a connection."""

    checkedAt: str
    outcome: Literal["healthy", "broken", "unclear", "untested"]
    """`unclear`: something else failed, so the check says nothing about the grant. `untested`: the function responds, but the integration profile names no tool to test the grant with."""
    cause: NotRequired[Cause]
    durationMs: int


class ConnectionHealth(TypedDict):
    """The connection and its last checks."""

    connection: Connection
    checks: List[HealthCheck]
    """Newest first, at most 50."""


class ConnectionTools(TypedDict):
    """The tools of a connection’s function."""

    tools: List[str]
    """The names of the function’s tools."""


class FunctionLogin(TypedDict):
    """A one-time login with which the end user opens the function in their own MCP client."""

    url: str
    """For the browser of the connection’s end user, whom you have authenticated. It works once and signs in the person who opens it: redirect to it, and never send or store it."""
    mcpUrl: str
    """The URL that the end user adds to their MCP client."""
    expiresAt: str


class FunctionGrantList(TypedDict):
    """A page of the list."""

    data: List[FunctionGrant]
    nextCursor: NotRequired[str]
    """Send it as `cursor` for the next page. Absent on the last page."""


class FunctionGrant(TypedDict):
    """The access granted to an MCP client."""

    id: str
    account: str
    """The account that granted access."""
    app: FunctionGrantApp
    """The app, with its self-declared name."""
    scopes: List[str]
    """`tools:read`: read-only tools. `tools:write`: all tools."""
    createdAt: str


class FunctionGrantApp(TypedDict):
    """The app, with its self-declared name."""

    name: str
    redirectsTo: str
    """The host, or the scheme of a native app, that receives its authorization codes."""


class AccessToken(TypedDict):
    """A short-lived access token of a linked account."""

    accessToken: str
    """Keep it in memory only. It works for everybody who has it."""
    expiresAt: str
    """Request another token from this time on."""
    scopes: List[str]
    """The scopes that the user granted."""
    header: str
    """The request header in which the API expects the token."""
    prefix: str
    """The text before the token in that header, such as `Bearer `."""
    apiHosts: List[str]
    """The API hosts of the app. Send the token to no other host."""


class ToolList(TypedDict):
    """The tools of the MCP server behind a connection: the approved list and any pending change."""

    connectionId: str
    seenAt: str
    """When the tools were last listed."""
    approved: ToolListApproved
    """The list that agents see."""
    pending: NotRequired[ToolListPending]
    """The current list of the server, if it waits for approval. New and changed tools cannot be called until then."""


class ToolListApproved(TypedDict):
    """The list that agents see."""

    hash: str
    """SHA-256 of the tools and instructions. Lists with the same hash are identical."""
    tools: List[ListedTool]
    """As the server listed them."""
    instructions: NotRequired[str]
    """The server’s instructions for agents."""
    at: str
    """When agents began to see this list."""
    by: str
    """Who approved the list: a platform account, `first listing`, or `policy` if changes are allowed."""


class ToolListPending(TypedDict):
    """The current list of the server, if it waits for approval. New and changed tools cannot be called until then."""

    hash: str
    """SHA-256 of the tools and instructions. Lists with the same hash are identical."""
    tools: List[ListedTool]
    """As the server listed them."""
    instructions: NotRequired[str]
    """The server’s instructions for agents."""
    since: str
    """When the change was first seen."""
    added: List[str]
    """Added tools."""
    removed: List[str]
    """Removed tools."""
    changed: List[str]
    """Tools with a changed definition."""
    instructionsChanged: bool
    """Whether the server’s instructions changed."""


class ListedTool(TypedDict):
    """A tool of a vendor’s own MCP server."""

    name: str
    description: NotRequired[str]
    """The server’s description."""
    readOnly: bool
    """Whether the server declares the tool read-only."""
    definition: Dict[str, Any]
    """The full definition, as agents receive it over MCP."""


class ApprovalList(TypedDict):
    """A page of the list."""

    data: List[Approval]
    nextCursor: NotRequired[str]
    """Send it as `cursor` for the next page. Absent on the last page."""


class Approval(TypedDict):
    """A tool call that the operator’s policy lets a person decide on."""

    id: str
    tool: str
    """The name of the tool, or `relay` and the method. Arguments are not shown."""
    state: Literal["waiting", "allowed_once", "allowed_for_an_hour", "declined", "used", "expired"]
    """`waiting`: for a decision. `allowed_once` and `allowed_for_an_hour`: until `expiresAt`. `used`: the call that was allowed once was sent. `expired`: nobody decided, or the permission has ended."""
    decision: NotRequired[Literal["once", "hour", "decline"]]
    """Set when somebody has decided."""
    caller: str
    """The account or key that made the call."""
    decidedBy: NotRequired[str]
    """The account that decided."""
    url: str
    """The page for the people who may decide. It grants nothing."""
    createdAt: str
    expiresAt: str


class ConnectionTask(TypedDict):
    """A disconnect or a rollback that was requested."""

    id: str
    connectionId: str
    kind: Literal["disconnect", "rollback"]
    status: Literal["pending", "done", "failed"]
    """`pending` continues automatically."""
    step: NotRequired[ConnectionTaskStep]
    """The current step. Absent after the end."""
    attempts: int
    """How often this step has failed."""
    revocation: NotRequired[ConnectionTaskRevocation]
    """What happened to the grant at the provider. `not_kept`: no copy was stored to revoke. `not_offered`: the provider does not support revocation. `shared`: another connection depends on the same consent. `refused`: the provider rejected the revocation. `blocked`: this deployment does not call the provider’s address. `client_gone`: the OAuth client of the grant is no longer configured, and the provider accepts no other. Unless it is `revoked` or `shared`, the user can remove the access in their account at the provider."""
    cause: NotRequired[Cause]
    """Why the task failed, or its last error."""
    createdAt: str
    updatedAt: str


class ImportProgress(TypedDict):
    """An import and its progress."""

    id: str
    tenantId: str
    name: NotRequired[str]
    """Your name for the import."""
    createdAt: str
    cancelledAt: NotRequired[str]
    """No rows were started after this time."""
    status: Literal["empty", "pending", "paused", "done", "cancelled"]
    """`empty`: no rows were added yet. `pending` continues automatically. `paused`: too many rows need attention, so the others wait for support. `done`: all rows are processed; more can be added."""
    counts: ImportProgressCounts
    """The number of rows by status."""
    reasons: List[ImportProgressReasonsItem]
    """Why rows did not become connections. Most frequent reason first."""


class ImportProgressCounts(TypedDict):
    """The number of rows by status."""

    waiting: int
    pending: int
    linked: int
    failed: int
    needs_attention: int
    invalid: int
    cancelled: int


class ImportProgressReasonsItem(TypedDict):
    code: str
    """A cause code or a row problem code."""
    whoseMove: WhoseMove
    title: str
    rows: int
    """How many rows failed, need attention or are invalid for this reason."""


class ImportList(TypedDict):
    """A page of the list."""

    data: List[Import]
    nextCursor: NotRequired[str]
    """Send it as `cursor` for the next page. Absent on the last page."""


class Import(TypedDict):
    """Existing grants of a tenant, added in rows."""

    id: str
    tenantId: str
    name: NotRequired[str]
    """Your name for the import."""
    createdAt: str
    cancelledAt: NotRequired[str]
    """No rows were started after this time."""


class ImportRows(TypedDict):
    """The state of the rows."""

    rows: List[ImportRow]
    """One per row, in the order of the request."""


class ImportRow(TypedDict):
    """The state of a row."""

    key: str
    """As sent."""
    status: ImportRowStatus
    integrationId: str
    """As sent. Empty if it is invalid."""
    endUser: EndUser
    accountId: NotRequired[str]
    """As sent."""
    linkId: NotRequired[str]
    """The link of the row. Present once the row was started."""
    connectionId: NotRequired[str]
    """Present when `linked`."""
    cause: NotRequired[Cause]
    """Why the row failed, needs attention, or is being retried."""
    problem: NotRequired[ImportRowProblem]
    """Present when `invalid`."""


class ImportRowProblem(TypedDict):
    """Present when `invalid`."""

    code: ImportRowProblemCode
    whoseMove: WhoseMove
    title: str
    advice: str
    errors: NotRequired[List[ImportRowProblemErrorsItem]]
    """The invalid members of the row. Present with `members_invalid`."""


class ImportRowProblemErrorsItem(TypedDict):
    pointer: str
    """JSON pointer into the row."""
    detail: str


class ImportRowList(TypedDict):
    """A page of the list."""

    data: List[ImportRow]
    nextCursor: NotRequired[str]
    """Send it as `cursor` for the next page. Absent on the last page."""


class CreatedManageSession(TypedDict):
    """The new manage session, with the URL for its user."""

    id: str
    tenantId: str
    testMode: NotRequired[Literal[True]]
    """Present in test mode, which uses no real account and no platform."""
    endUser: EndUser
    returnUrl: NotRequired[str]
    """Where the page links back to."""
    status: Literal["created", "opened", "expired", "revoked"]
    """`opened`: a browser has opened it, and no other browser can."""
    locale: NotRequired[str]
    """The language of the page, if set."""
    expiresAt: str
    createdAt: str
    url: str
    """Redirect the user’s browser to this URL immediately. It can be opened for five minutes and belongs to the first browser that opens it. It is a secret and returned only once: never send or store it."""


class ManageSession(TypedDict):
    """A page on which a user manages their connections, for a few minutes in one browser."""

    id: str
    tenantId: str
    testMode: NotRequired[Literal[True]]
    """Present in test mode, which uses no real account and no platform."""
    endUser: EndUser
    returnUrl: NotRequired[str]
    """Where the page links back to."""
    status: Literal["created", "opened", "expired", "revoked"]
    """`opened`: a browser has opened it, and no other browser can."""
    locale: NotRequired[str]
    """The language of the page, if set."""
    expiresAt: str
    createdAt: str


class CreatedCampaign(TypedDict):
    """The campaign, with the URLs to send."""

    id: str
    cause: Cause
    tenantId: NotRequired[str]
    integrationId: NotRequired[str]
    reason: str
    counts: CreatedCampaignCounts
    """The number of connections by status."""
    expiresAt: str
    cancelledAt: NotRequired[str]
    createdAt: str
    members: List[CampaignMemberWithUrl]
    remaining: int
    """Connections left out because a campaign has at most 5000 members. Start another campaign for them."""
    atGrantLimit: NotRequired[int]
    """How many members have reached the app’s limit of grants per account. A new grant ends the oldest one, which another connection may use, or is refused. Absent if zero."""


class CreatedCampaignCounts(TypedDict):
    """The number of connections by status."""

    open: int
    started: int
    linked: int
    failed: int
    expired: int
    cancelled: int


class CampaignMemberWithUrl(TypedDict):
    """One connection of a campaign, with the URL for its user."""

    connectionId: str
    connectionName: str
    """The name of the connection on the platform."""
    tenantId: str
    integrationId: str
    endUser: EndUser
    accountLabel: NotRequired[str]
    """The account at the third party, if known."""
    connectSessionId: str
    linkId: NotRequired[str]
    """Present once the user has started."""
    status: Literal["open", "started", "linked", "failed", "expired", "cancelled"]
    url: str
    """For the user of this connection only. It is a secret and returned only once."""
    expiresAt: str
    """When this URL expires."""


class CampaignList(TypedDict):
    """A page of the list."""

    data: List[Campaign]
    nextCursor: NotRequired[str]
    """Send it as `cursor` for the next page. Absent on the last page."""


class Campaign(TypedDict):
    """Re-link sessions for every connection that broke for one cause."""

    id: str
    cause: Cause
    tenantId: NotRequired[str]
    integrationId: NotRequired[str]
    reason: str
    counts: CampaignCounts
    """The number of connections by status."""
    expiresAt: str
    cancelledAt: NotRequired[str]
    createdAt: str


class CampaignCounts(TypedDict):
    """The number of connections by status."""

    open: int
    started: int
    linked: int
    failed: int
    expired: int
    cancelled: int


class CampaignMemberList(TypedDict):
    """A page of the list."""

    data: List[CampaignMember]
    nextCursor: NotRequired[str]
    """Send it as `cursor` for the next page. Absent on the last page."""


class CampaignMember(TypedDict):
    """One connection of a campaign."""

    connectionId: str
    connectionName: str
    """The name of the connection on the platform."""
    tenantId: str
    integrationId: str
    endUser: EndUser
    accountLabel: NotRequired[str]
    """The account at the third party, if known."""
    connectSessionId: str
    linkId: NotRequired[str]
    """Present once the user has started."""
    status: Literal["open", "started", "linked", "failed", "expired", "cancelled"]


class CreatedWebhook(TypedDict):
    """The new webhook endpoint, with its secret."""

    id: str
    tenantId: str
    url: str
    events: List[CreatedWebhookEventsItem]
    status: Literal["active", "disabled"]
    """`disabled`: by you, or because the endpoint answered 410."""
    previousSecretExpiresAt: NotRequired[str]
    """Present after a rotation. Until this time, messages are also signed with the previous secret."""
    createdAt: str
    updatedAt: str
    secret: str
    """Verifies the signature of messages (Standard Webhooks). Shown only once."""


class WebhookList(TypedDict):
    """A page of the list."""

    data: List[Webhook]
    nextCursor: NotRequired[str]
    """Send it as `cursor` for the next page. Absent on the last page."""


class Webhook(TypedDict):
    """A webhook endpoint of a tenant."""

    id: str
    tenantId: str
    url: str
    events: List[WebhookEventsItem]
    status: Literal["active", "disabled"]
    """`disabled`: by you, or because the endpoint answered 410."""
    previousSecretExpiresAt: NotRequired[str]
    """Present after a rotation. Until this time, messages are also signed with the previous secret."""
    createdAt: str
    updatedAt: str


class WebhookWithNewSecret(TypedDict):
    """The webhook endpoint, with its new secret."""

    id: str
    tenantId: str
    url: str
    events: List[WebhookWithNewSecretEventsItem]
    status: Literal["active", "disabled"]
    """`disabled`: by you, or because the endpoint answered 410."""
    previousSecretExpiresAt: NotRequired[str]
    """Present after a rotation. Until this time, messages are also signed with the previous secret."""
    createdAt: str
    updatedAt: str
    secret: str
    """Verifies the signature of messages (Standard Webhooks). Shown only once."""
    activeFrom: str
    """From this time on, messages are signed with `secret`."""


class WebhookDeliveryList(TypedDict):
    """A page of the list."""

    data: List[WebhookDelivery]
    nextCursor: NotRequired[str]
    """Send it as `cursor` for the next page. Absent on the last page."""


class WebhookDelivery(TypedDict):
    """The delivery of one event to one webhook endpoint."""

    id: str
    webhookId: str
    event: WebhookDeliveryEvent
    status: Literal["pending", "delivered", "dead"]
    """`dead`: not retried, but can be replayed."""
    attempts: int
    responseStatus: NotRequired[int]
    """The HTTP status of the last response, if any."""
    failureReason: NotRequired[WebhookDeliveryFailureReason]
    """Why the last attempt failed."""
    nextAttemptAt: NotRequired[str]
    deliveredAt: NotRequired[str]
    createdAt: str


class WebhookDeliveryEvent(TypedDict):
    id: str
    """The `webhook-id` header of the message. All attempts use the same ID."""
    type: WebhookDeliveryEventType
    occurredAt: str


class EventList(TypedDict):
    """A page of the list."""

    data: List[Event]
    nextCursor: NotRequired[str]
    """Send it as `cursor` for the next page. Absent on the last page."""


class Event(TypedDict):
    """An event of a tenant."""

    id: str
    """The `webhook-id` header of the webhook message."""
    cursor: str
    """Send it as `cursor` to get the events after this one."""
    type: EventType
    timestamp: str
    """When the event happened."""
    data: Dict[str, Any]
    """The `data` of the webhook message; its members depend on `type`."""


class AuditEntryList(TypedDict):
    """A page of the list."""

    data: List[AuditEntry]
    nextCursor: NotRequired[str]
    """Send it as `cursor` for the next page. Absent on the last page."""


class AuditEntry(TypedDict):
    """An entry of the audit log."""

    id: str
    occurredAt: str
    action: AuditEntryAction
    subject: NotRequired[AuditEntrySubject]
    """The subject of the entry. Absent if a rejected request named no existing resource."""
    facts: Dict[str, Any]
    """Details by name, depending on the action."""
    actor: AuditEntryActor
    tenantId: NotRequired[str]
    linkId: NotRequired[str]
    connectionId: NotRequired[str]
    reason: NotRequired[str]
    """The reason that the actor gave."""
    requestId: NotRequired[str]
    erasureId: NotRequired[str]
    """The erasure that removed personal data, including the reason, from this entry."""
    before: NotRequired[Dict[str, Any]]
    """The subject before the change."""
    after: NotRequired[Dict[str, Any]]
    """The subject after the change."""


class AuditEntrySubject(TypedDict):
    """The subject of the entry. Absent if a rejected request named no existing resource."""

    kind: AuditEntrySubjectKind
    id: str


class AuditEntryActor(TypedDict):
    kind: str
    id: NotRequired[str]
    name: NotRequired[str]


class AuditRecordList(TypedDict):
    """A page of the list."""

    data: List[AuditRecord]
    nextCursor: NotRequired[str]
    """Send it as `cursor` for the next page. Absent on the last page."""


class AuditHead(TypedDict):
    """The newest position of an audit chain, signed."""

    tenantId: NotRequired[str]
    position: int
    """The position of the head in the chain."""
    hash: str
    """The hash of this position. SHA-256 in base64url."""
    sealedAt: str
    """When the head was signed."""
    head: str
    """The same as a JWS, signed by a key of `/.well-known/jwks.json`. Keep it elsewhere."""


class ExportRecordList(TypedDict):
    """A page of the list."""

    data: List[ExportRecord]
    nextCursor: NotRequired[str]
    """Send it as `cursor` for the next page. Absent on the last page."""


class ExportRecord(TypedDict):
    """One record of an export."""

    type: ExportRecordType
    data: Dict[str, Any]
    """The `Tenant`, `OAuthClientDetails`, `Webhook`, `Connection`, `Link`, `Import`, `Erasure` or `AuditEntry`, in the same format as in the API. A link also has `outsideCalls`: its calls to the provider and the platform, with time, status or error code, and duration. Records contain no secrets."""


class Erasure(TypedDict):
    """The erasure of an end user, with its receipt."""

    id: str
    tenantId: str
    testMode: NotRequired[Literal[True]]
    """Present in test mode, which uses no real account and no platform."""
    status: Literal["pending", "done"]
    """`pending` continues automatically."""
    step: NotRequired[Literal["end_links", "disconnect", "notify", "erase"]]
    """The current step. Absent when done."""
    cause: NotRequired[Cause]
    """What the erasure waits for, and who can resolve it."""
    notifying: NotRequired[ErasureNotifying]
    """The endpoints that the erasure waits for. Present at step `notify`."""
    endUserHash: str
    """A keyed hash of the user ID: stable per user and tenant, and not reversible."""
    receipt: NotRequired[ErasureReceipt]
    """The result. Present when done."""
    requestedAt: str
    finishedAt: NotRequired[str]


class ErasureNotifying(TypedDict):
    """The endpoints that the erasure waits for. Present at step `notify`."""

    webhookIds: List[str]
    """Endpoints with undelivered events. `GET /tenants/{tenantId}/webhook-deliveries` returns the causes."""
    until: str
    """The erasure continues at this time at the latest."""


class ErasureReceipt(TypedDict):
    """The result of the erasure. It does not name the user."""

    grants: List[ErasureReceiptGrantsItem]
    """All grants of the user. They are deleted here and on the platform."""
    removed: ErasureReceiptRemoved
    """How many records named the user. Manage sessions are deleted. Other records stay, with the ID of the erasure as `endUser.id` and without the user’s data."""


class ErasureReceiptGrantsItem(TypedDict):
    integrationId: str
    connectionId: NotRequired[str]
    """The connection that had the grant."""
    linkId: NotRequired[str]
    """The link that got the grant, if it never became a connection."""
    revocation: ErasureReceiptGrantsItemRevocation
    """What happened to the grant at the provider. `revoked`: it no longer works. `shared`: another connection depends on the same consent, which a revocation would end. `not_offered`: the provider does not support revocation. `not_kept`: no copy was stored to revoke. `refused`: the provider rejected the revocation. `blocked`: this deployment does not call the provider’s address. `client_gone`: the OAuth client of the grant is no longer configured, and the provider accepts no other. Unless it is `revoked`, the user can remove the access in their account at the provider."""


class ErasureReceiptRemoved(TypedDict):
    """How many records named the user. Manage sessions are deleted. Other records stay, with the ID of the erasure as `endUser.id` and without the user’s data."""

    connectSessions: int
    """Connect sessions of the user."""
    manageSessions: int
    """Manage sessions of the user."""
    links: int
    """Links of the user."""
    connections: int
    """Connections of the user."""
    importRows: int
    """Rows of imports with grants of the user."""
    events: int
    """Events about the user."""
    auditEntries: int
    """Entries about these with a reason, an address of the user’s browser or the name of an account."""


class ErasureList(TypedDict):
    """A page of the list."""

    data: List[Erasure]
    nextCursor: NotRequired[str]
    """Send it as `cursor` for the next page. Absent on the last page."""


class CreateTenantRequest(TypedDict):
    """A new tenant."""

    workspace: NotRequired[str]
    """The platform workspace that contains the tenant's connections and functions. Required, except in test mode, which does not use the platform."""
    displayName: str
    """The name that end users see on every page."""
    returnUrls: List[str]
    """URLs that browsers may return to. Compared exactly."""
    branding: NotRequired[CreateTenantRequestBranding]
    """The appearance of the pages that end users see. Replaced as a whole if present, otherwise unchanged."""
    maxConnectionsPerUser: NotRequired[Any]
    """The max number of connections per end user and integration, without disconnected ones. `null` or 0 (default): no limit. Lowering the limit keeps existing connections."""
    id: NotRequired[str]
    """Your ID for the tenant. Generated if absent. In test mode it begins with `test_`."""


class CreateTenantRequestBranding(TypedDict):
    """The appearance of the pages that end users see. Replaced as a whole if present, otherwise unchanged."""

    accentColor: NotRequired[str]
    """The color of buttons and links. It is darkened or lightened if needed for contrast on light and dark pages."""
    supportUrl: NotRequired[str]
    """Your help page. Must use https, like the other URLs."""
    privacyUrl: NotRequired[str]
    """Your privacy policy."""
    termsUrl: NotRequired[str]
    """Your terms of use."""
    wording: NotRequired[Dict[str, CreateTenantRequestBrandingWordingValue]]
    """Texts on the connect page by language (BCP 47). Each text is one line of plain text with at most 200 characters, without markup, URLs, symbols or invisible characters. They are shown as quotes of the tenant on pages in that language."""


class CreateTenantRequestBrandingWordingValue(TypedDict):
    """The texts in one language."""

    intro: NotRequired[str]
    """Why you ask for access. Shown below the list of permissions."""
    help: NotRequired[str]
    """Where users can get help. Shown below the buttons."""


class TenantRequest(TypedDict):
    """The tenant's settings."""

    workspace: NotRequired[str]
    """The platform workspace that contains the tenant's connections and functions. Required, except in test mode, which does not use the platform."""
    displayName: str
    """The name that end users see on every page."""
    returnUrls: List[str]
    """URLs that browsers may return to. Compared exactly."""
    branding: NotRequired[TenantRequestBranding]
    """The appearance of the pages that end users see. Replaced as a whole if present, otherwise unchanged."""
    maxConnectionsPerUser: NotRequired[Any]
    """The max number of connections per end user and integration, without disconnected ones. `null` or 0 (default): no limit. Lowering the limit keeps existing connections."""


class TenantRequestBranding(TypedDict):
    """The appearance of the pages that end users see. Replaced as a whole if present, otherwise unchanged."""

    accentColor: NotRequired[str]
    """The color of buttons and links. It is darkened or lightened if needed for contrast on light and dark pages."""
    supportUrl: NotRequired[str]
    """Your help page. Must use https, like the other URLs."""
    privacyUrl: NotRequired[str]
    """Your privacy policy."""
    termsUrl: NotRequired[str]
    """Your terms of use."""
    wording: NotRequired[Dict[str, TenantRequestBrandingWordingValue]]
    """Texts on the connect page by language (BCP 47). Each text is one line of plain text with at most 200 characters, without markup, URLs, symbols or invisible characters. They are shown as quotes of the tenant on pages in that language."""


class TenantRequestBrandingWordingValue(TypedDict):
    """The texts in one language."""

    intro: NotRequired[str]
    """Why you ask for access. Shown below the list of permissions."""
    help: NotRequired[str]
    """Where users can get help. Shown below the buttons."""


class UpdateTenantRequest(TypedDict):
    """The members to change."""

    workspace: NotRequired[str]
    """The platform workspace that contains the tenant's connections and functions. Required, except in test mode, which does not use the platform."""
    displayName: NotRequired[str]
    """The name that end users see on every page."""
    returnUrls: NotRequired[List[str]]
    """URLs that browsers may return to. Compared exactly."""
    branding: NotRequired[UpdateTenantRequestBranding]
    """The appearance of the pages that end users see. Replaced as a whole if present, otherwise unchanged."""
    maxConnectionsPerUser: NotRequired[Any]
    """The max number of connections per end user and integration, without disconnected ones. `null` or 0 (default): no limit. Lowering the limit keeps existing connections."""


class UpdateTenantRequestBranding(TypedDict):
    """The appearance of the pages that end users see. Replaced as a whole if present, otherwise unchanged."""

    accentColor: NotRequired[str]
    """The color of buttons and links. It is darkened or lightened if needed for contrast on light and dark pages."""
    supportUrl: NotRequired[str]
    """Your help page. Must use https, like the other URLs."""
    privacyUrl: NotRequired[str]
    """Your privacy policy."""
    termsUrl: NotRequired[str]
    """Your terms of use."""
    wording: NotRequired[Dict[str, UpdateTenantRequestBrandingWordingValue]]
    """Texts on the connect page by language (BCP 47). Each text is one line of plain text with at most 200 characters, without markup, URLs, symbols or invisible characters. They are shown as quotes of the tenant on pages in that language."""


class UpdateTenantRequestBrandingWordingValue(TypedDict):
    """The texts in one language."""

    intro: NotRequired[str]
    """Why you ask for access. Shown below the list of permissions."""
    help: NotRequired[str]
    """Where users can get help. Shown below the buttons."""


class SigningSecretRotationRequest(TypedDict):
    """When the new secret becomes active."""

    afterSeconds: NotRequired[int]
    """How long the current secret keeps signing. Use 0 if the secret has leaked."""


class IntegrationSettingsRequest(TypedDict):
    """New settings of an integration. They replace the current ones as a whole."""

    settings: Dict[str, Any]
    """An entry as in the integrations file: `profile` and overrides, or a whole profile, with `clientId` and `clientSecret`. A `clientSecret` that is not sent stays if `clientId` is the same; `null` removes it. It is never returned."""
    ifVersion: NotRequired[int]
    """The version that you read; 0 if there was none. Another one is answered with 409."""
    breakConnections: NotRequired[bool]
    """Saves although existing connections are affected. The problem `settings_break_connections` says how."""
    reason: NotRequired[str]
    """The reason. It is recorded in the audit log."""


class SettingsRollbackRequest(TypedDict):
    """Which version to repeat as a new one."""

    version: int
    """The version to repeat."""
    ifVersion: NotRequired[int]
    """The version that you read; 0 if there was none. Another one is answered with 409."""
    breakConnections: NotRequired[bool]
    """Saves although existing connections are affected. The problem `settings_break_connections` says how."""
    reason: NotRequired[str]
    """The reason. It is recorded in the audit log."""


class ToolPolicyRequest(TypedDict):
    """A tool policy that replaces the current one."""

    policy: ToolPolicy
    ifVersion: NotRequired[int]
    """The version that you read; 0 if there was none. Another one is answered with 409."""
    reason: NotRequired[str]
    """The reason. It is recorded in the audit log."""


class ToolPolicyRollbackRequest(TypedDict):
    """Which version to repeat as a new one."""

    version: int
    """The version to repeat."""
    ifVersion: NotRequired[int]
    """The version that you read; 0 if there was none. Another one is answered with 409."""
    reason: NotRequired[str]
    """The reason. It is recorded in the audit log."""


class LogoRequest(TypedDict):
    """An image. Only its pixels are stored."""

    image: str
    """The base64-encoded file: PNG, JPEG or WebP with at most 512 kB, at most 4 million pixels, at least 20 pixels per side, and an aspect ratio of at most 8:1. SVG is not accepted."""


class OAuthClientRequest(TypedDict):
    """An OAuth client that the tenant has registered at the provider."""

    clientId: str
    clientSecret: NotRequired[str]
    """Absent for a public client. Stored encrypted and never returned."""


class ConnectSessionRequest(TypedDict):
    """Who links which integration to which tenant, and where the browser goes afterwards."""

    tenantId: str
    integrationId: NotRequired[str]
    """The integration to connect. Required unless `integrationIds` is set."""
    integrationIds: NotRequired[List[str]]
    """Instead of `integrationId`: the user first picks one of these on a page of the deployment, which lists them in this order. An empty list offers every integration that the tenant can use. Cannot be combined with `inputs`."""
    endUser: ConnectSessionUser
    returnUrl: str
    """The URL that the browser returns to. Must be exactly one of the tenant's return URLs."""
    completionChallenge: str
    """The SHA-256 of a random verifier, in base64url. Your server keeps the verifier in the user's session."""
    locale: NotRequired[str]
    """The language of the user's pages, as a BCP 47 tag. Defaults to the browser's language, also if there are no texts in this language."""
    ifConnected: NotRequired[Literal["add", "relink", "refuse"]]
    """What to do if the user has already connected the same account to this integration. `relink` (default) gives the new grant to the existing connection. `add` creates another connection. `refuse` fails the link with `already_connected`. Decided after consent, when the app reports the account. Another account is always added, and so is one that the app does not report. Before 0.4.0 the default was `add`."""
    ttlSeconds: NotRequired[int]
    """How long the URL can be opened."""
    alias: NotRequired[str]
    """The name of this account for agents and for its user, such as `work`. Unique among the connections of the user to the integration. At most 20 lowercase letters, digits and inner hyphens."""
    labels: NotRequired[Dict[str, str]]
    """Your own names and values, by which you can filter the list of connections. At most 20. A name has up to 40 letters, digits, dots, underscores and hyphens. A value has up to 200 characters, without commas. Do not put personal data in labels."""
    scopes: NotRequired[List[str]]
    """The scopes to request, instead of those that the integration requests by default: some of them, optional ones, or both (`permissions` of the integration). Scopes that identify the account are always requested. Cannot be combined with `integrationIds`."""
    testOutcome: NotRequired[TestOutcome]
    """Only in test mode. If absent, the user chooses on a page."""
    inputs: NotRequired[Dict[str, str]]
    """Values that the integration needs before the user can sign in, such as `subdomain`, keyed by the names in the `inputs` of the integration. The connect page asks the user for missing values."""


class ConnectSessionUser(TypedDict):
    """The user who links the account, as the connect page addresses them."""

    id: str
    """Your ID for the user."""
    displayName: NotRequired[str]
    email: NotRequired[str]


class OptionalReasonRequest(TypedDict):
    """The reason for the request, if known."""

    reason: NotRequired[str]
    """The reason. It is recorded in the audit log."""


class CompletionRequest(TypedDict):
    """The code from the return URL and the stored verifier."""

    completionCode: str
    """The `completion_code` parameter of the return URL."""
    completionVerifier: str
    """The verifier that your server stored in the session of the returning user."""


class LinkResumptionRequest(TypedDict):
    """Which links to resume, and why."""

    causeCode: CauseCode
    tenantId: NotRequired[str]
    reason: str
    """The reason. It is recorded in the audit log."""


class ConnectionRequest(TypedDict):
    """Whose account of which integration a function will act for."""

    tenantId: str
    integrationId: str
    endUser: ConnectionUser
    alias: NotRequired[str]
    """The name of this account for agents and for its user, such as `work`. Unique among the connections of the user to the integration. At most 20 lowercase letters, digits and inner hyphens."""
    labels: NotRequired[Dict[str, str]]
    """Your own names and values, by which you can filter the list of connections. At most 20. A name has up to 40 letters, digits, dots, underscores and hyphens. A value has up to 200 characters, without commas. Do not put personal data in labels."""
    scopes: NotRequired[List[str]]
    """The scopes to request when the user links an account, as `scopes` of a connect session. Re-links request them again."""
    inputs: NotRequired[Dict[str, str]]
    """Values that the integration needs before the user can sign in, such as `subdomain`."""


class ConnectionUser(TypedDict):
    """The user whose account will be linked."""

    id: str
    """Your ID for the user."""


class RelinkSessionRequest(TypedDict):
    """Why the connection is re-linked, and where the user returns to."""

    reason: str
    """The reason. It is recorded in the audit log."""
    returnUrl: NotRequired[str]
    """A return URL of the tenant. If absent, the user stays on a page of the deployment."""
    completionChallenge: NotRequired[str]
    """Required, with `returnUrl`, if the account is unknown or a different account is allowed."""
    ttlSeconds: NotRequired[int]
    """How long the URL can be opened. Defaults to one day."""
    allowOtherAccount: NotRequired[bool]
    """Allows a different account than before. Requires a deployment key."""
    locale: NotRequired[str]
    """The language of the user's pages, as a BCP 47 tag. Defaults to the browser's language, also if there are no texts in this language."""
    scopes: NotRequired[List[str]]
    """Scopes to request in addition to those that the connection requests or has, such as its `missingScopes`. A re-link never gives up a granted scope."""
    testOutcome: NotRequired[TestOutcome]
    """Only in test mode. If absent, the user chooses on a page."""


class ConnectionUpdate(TypedDict):
    """The new alias, the new labels, or both. `null` removes; an absent field stays."""

    alias: NotRequired[Any]
    """The new alias. `null` removes it."""
    labels: NotRequired[Any]
    """Replaces all labels. `null` removes them."""
    reason: NotRequired[str]
    """The reason. It is recorded in the audit log."""


class ReasonRequest(TypedDict):
    """The reason for the request."""

    reason: str
    """The reason. It is recorded in the audit log."""


class FunctionLoginRequest(TypedDict):
    """The lifetime of the login."""

    ttlSeconds: NotRequired[int]
    """How long the URL can be opened. Defaults to ten minutes."""


class ToolListApproval(TypedDict):
    """The change to approve."""

    hash: str
    """The `hash` of the `pending` list that you reviewed."""


class ImportRequest(TypedDict):
    """The tenant whose grants are imported."""

    tenantId: str
    name: NotRequired[str]
    """Your name for the import."""


class ImportRowsRequest(TypedDict):
    """Up to 500 rows, and 1 MB."""

    rows: List[ImportRowRequest]
    """Each row needs a unique key. Invalid rows are rejected individually."""
    dryRun: NotRequired[bool]
    """Validates the rows without storing them. Refresh tokens are not tested."""


class ImportRowRequest(TypedDict):
    """One grant of one user."""

    key: str
    """Your key for this row, such as the ID of your record. Keys are idempotent within an import: sending a row again is a no-op. The key appears in the report, so do not use a person’s name or email address."""
    integrationId: str
    endUser: ImportRowRequestEndUser
    """The owner of the grant."""
    accountId: NotRequired[str]
    """The ID of the account at the third party, if you know it. If the app reports a different account, the row fails and nothing is set up."""
    refreshToken: str
    """The newest refresh token you have. It is encrypted immediately and never returned."""
    scopes: NotRequired[List[str]]
    """The granted scopes, if you know them and the app may not report them. If neither is known, all requested scopes count as granted."""
    alias: NotRequired[str]
    """The name of this account for agents and for its user, such as `work`. Unique among the connections of the user to the integration. At most 20 lowercase letters, digits and inner hyphens."""
    labels: NotRequired[Dict[str, str]]
    """Your own names and values, by which you can filter the list of connections. At most 20. A name has up to 40 letters, digits, dots, underscores and hyphens. A value has up to 200 characters, without commas. Do not put personal data in labels."""
    inputs: NotRequired[Dict[str, str]]
    """Values that the integration asks its users for, such as a subdomain, and values that the app sends with a callback, keyed by the names of the integration."""


class ImportRowRequestEndUser(TypedDict):
    """The owner of the grant."""

    id: str
    """Your ID for the user."""
    displayName: NotRequired[str]
    email: NotRequired[str]


class ManageSessionRequest(TypedDict):
    """The user, and where they return to."""

    tenantId: str
    endUser: ManageSessionUser
    returnUrl: NotRequired[str]
    """Where the page links back to. Must exactly match a return URL of the tenant."""
    locale: NotRequired[str]
    """The language of the user's pages, as a BCP 47 tag. Defaults to the browser's language, also if there are no texts in this language."""
    ttlSeconds: NotRequired[int]
    """How long the page can be used. Defaults to 30 minutes."""


class ManageSessionUser(TypedDict):
    """The user whose connections the page shows."""

    id: str
    """Your ID for the user, as in their connect sessions."""
    displayName: NotRequired[str]
    email: NotRequired[str]


class CampaignRequest(TypedDict):
    """Which connections to include, and why."""

    causeCode: CauseCode
    """The campaign includes connections that need a re-link for this cause."""
    tenantId: NotRequired[str]
    """Only connections of this tenant."""
    integrationId: NotRequired[str]
    """Only connections of this integration."""
    ttlSeconds: NotRequired[int]
    """How long the URLs can be opened. Defaults to seven days."""
    reason: str
    """The reason. It is recorded in the audit log."""


class WebhookRequest(TypedDict):
    """The URL and events of a webhook endpoint."""

    url: str
    """An https URL on the default port of a public host. Redirects are not followed."""
    events: NotRequired[List[WebhookRequestEventsItem]]
    """The events to send. Defaults to all but `audit.recorded`."""


class EventRequest(TypedDict):
    """The event to trigger."""

    type: EventType


class ErasureRequest(TypedDict):
    """The user to erase."""

    tenantId: str
    endUser: ErasureUser
    reason: NotRequired[str]
    """The reason. It stays in the audit log, so it must not name the user: use a ticket number."""


class ErasureUser(TypedDict):
    """The user to erase, by ID only."""

    id: str
    """Your ID for the user, as in their connect sessions."""


class ConnectRequest(TypedDict):
    """Who links which integration to which tenant, and where the browser goes afterwards."""

    tenantId: str
    integrationId: NotRequired[str]
    """The integration to connect. Required unless `integrationIds` is set."""
    integrationIds: NotRequired[List[str]]
    """Instead of `integrationId`: the user first picks one of these on a page of the deployment, which lists them in this order. An empty list offers every integration that the tenant can use. Cannot be combined with `inputs`."""
    endUser: ConnectSessionUser
    returnUrl: str
    """The URL that the browser returns to. Must be exactly one of the tenant's return URLs."""
    locale: NotRequired[str]
    """The language of the user's pages, as a BCP 47 tag. Defaults to the browser's language, also if there are no texts in this language."""
    ifConnected: NotRequired[Literal["add", "relink", "refuse"]]
    """What to do if the user has already connected the same account to this integration. `relink` (default) gives the new grant to the existing connection. `add` creates another connection. `refuse` fails the link with `already_connected`. Decided after consent, when the app reports the account. Another account is always added, and so is one that the app does not report. Before 0.4.0 the default was `add`."""
    ttlSeconds: NotRequired[int]
    """How long the URL can be opened."""
    alias: NotRequired[str]
    """The name of this account for agents and for its user, such as `work`. Unique among the connections of the user to the integration. At most 20 lowercase letters, digits and inner hyphens."""
    labels: NotRequired[Dict[str, str]]
    """Your own names and values, by which you can filter the list of connections. At most 20. A name has up to 40 letters, digits, dots, underscores and hyphens. A value has up to 200 characters, without commas. Do not put personal data in labels."""
    scopes: NotRequired[List[str]]
    """The scopes to request, instead of those that the integration requests by default: some of them, optional ones, or both (`permissions` of the integration). Scopes that identify the account are always requested. Cannot be combined with `integrationIds`."""
    testOutcome: NotRequired[TestOutcome]
    """Only in test mode. If absent, the user chooses on a page."""
    inputs: NotRequired[Dict[str, str]]
    """Values that the integration needs before the user can sign in, such as `subdomain`, keyed by the names in the `inputs` of the integration. The connect page asks the user for missing values."""


class RelinkRequest(TypedDict):
    """Why the connection is re-linked, and where the user returns to."""

    reason: str
    """The reason. It is recorded in the audit log."""
    returnUrl: str
    """A return URL of the tenant. If absent, the user stays on a page of the deployment."""
    ttlSeconds: NotRequired[int]
    """How long the URL can be opened. Defaults to one day."""
    allowOtherAccount: NotRequired[bool]
    """Allows a different account than before. Requires a deployment key."""
    locale: NotRequired[str]
    """The language of the user's pages, as a BCP 47 tag. Defaults to the browser's language, also if there are no texts in this language."""
    scopes: NotRequired[List[str]]
    """Scopes to request in addition to those that the connection requests or has, such as its `missingScopes`. A re-link never gives up a granted scope."""
    testOutcome: NotRequired[TestOutcome]
    """Only in test mode. If absent, the user chooses on a page."""


class LinkedLink(TypedDict):
    """One attempt to obtain a grant and set up its function, from consent to verification."""

    id: str
    purpose: Literal["link", "relink"]
    """`relink`: a new grant for an existing connection."""
    connectSessionId: str
    importId: NotRequired[str]
    """The import that the grant came from."""
    tenantId: str
    testMode: NotRequired[Literal[True]]
    """Present in test mode, which uses no real account and no platform."""
    integrationId: str
    endUser: EndUser
    connectionId: str
    """The connection being re-linked or, once `linked`, the connection that was created."""
    status: Literal["linked"]
    waitingFor: NotRequired[Literal["consent", "completion"]]
    """Present while a `pending` link waits for an action. `consent`: the user is at the provider, or on the way there. `completion`: the user has consented, and your server must complete the connect session within about two minutes."""
    step: LinkStep
    """The current step. For an ended link, the last step reached."""
    progress: List[LinkedLinkProgressItem]
    """Every step, in order."""
    cause: NotRequired[Cause]
    causeForUser: NotRequired[UserWords]
    """The cause in words for the end user, in the `locale` of the connect session or in English."""
    attempts: int
    """How often `step` has failed. `cause` is the last error."""
    nextAttemptAt: NotRequired[str]
    """When the step is retried. Absent during an attempt and after the link has ended."""
    missingScopes: NotRequired[List[str]]
    """Permissions the user did not grant."""
    continueUrl: NotRequired[str]
    """Present when the user must consent again. Redirect the same browser to it."""
    connection: LinkedLinkConnection
    """Present when `linked`."""
    createdAt: str
    updatedAt: str


class LinkedLinkProgressItem(TypedDict):
    step: LinkStep
    status: Literal["done", "current", "waiting", "failed"]


class LinkedLinkConnection(TypedDict):
    """Present when `linked`."""

    id: str
    name: str
    """Its name on the platform."""
    workspace: str
    functionName: str
    functionUrl: str
    """Append `/mcp` for the URL of the MCP server."""
    upstreamAccount: NotRequired[UpstreamAccount]


# Discriminated by `type`.
WebhookEvent = Union[
    LinkSucceededEvent,
    LinkFailedEvent,
    ConnectionRelinkedEvent,
    ConnectionNeedsRelinkEvent,
    ConnectionHealthUnknownEvent,
    ConnectionGrantEndsSoonEvent,
    ConnectionToolsChangedEvent,
    ConnectionApprovalRequestedEvent,
    ConnectionApprovalDecidedEvent,
    ConnectionDisconnectedEvent,
    EndUserErasedEvent,
    TenantDeletedEvent,
    AuditRecordedEvent,
]
