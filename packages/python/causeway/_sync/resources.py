# Generated from the OpenAPI document by `npm run generate`. Not to be edited.
from __future__ import annotations

from typing import Literal, cast

from .. import types
from .._calls import OMITTED, CallOptions
from .lists import ItemList
from .transport import Resource


class Tenants(Resource):
    def list(self, *, limit: int | None = None, options: CallOptions | None = None) -> ItemList[types.Tenant, types.TenantList]:
        return ItemList(self._transport, "listTenants", query={"limit": limit}, options=options)

    def create(self, body: types.CreateTenantRequest, *, options: CallOptions | None = None) -> types.CreatedTenant:
        """`signingSecret` of the response is shown only once."""
        return cast("types.CreatedTenant", self._transport.send("createTenant", body=body, options=options))

    def get(self, tenant_id: str, *, options: CallOptions | None = None) -> types.Tenant:
        return cast("types.Tenant", self._transport.send("getTenant", params={"tenantId": tenant_id}, options=options))

    def put(self, tenant_id: str, body: types.TenantRequest, *, options: CallOptions | None = None) -> types.Tenant | types.CreatedTenant:
        """Creates or replaces a tenant with an ID of your choice."""
        return cast("types.Tenant | types.CreatedTenant", self._transport.send("putTenant", params={"tenantId": tenant_id}, body=body, options=options))

    def update(self, tenant_id: str, body: types.UpdateTenantRequest, *, options: CallOptions | None = None) -> types.Tenant:
        """Absent members are unchanged. Not retried."""
        return cast("types.Tenant", self._transport.send("updateTenant", params={"tenantId": tenant_id}, body=body, options=options))

    def rotate_signing_secret(self, tenant_id: str, body: types.SigningSecretRotationRequest | None = None, *, options: CallOptions | None = None) -> types.RotatedSigningSecret:
        return cast("types.RotatedSigningSecret", self._transport.send("rotateSigningSecret", params={"tenantId": tenant_id}, body=body, options=options))

    def suspend(self, tenant_id: str, *, options: CallOptions | None = None) -> types.Tenant:
        """Rejects new links. Existing connections continue to work."""
        return cast("types.Tenant", self._transport.send("suspendTenant", params={"tenantId": tenant_id}, options=options))

    def reactivate(self, tenant_id: str, *, options: CallOptions | None = None) -> types.Tenant:
        return cast("types.Tenant", self._transport.send("reactivateTenant", params={"tenantId": tenant_id}, options=options))

    def delete(self, tenant_id: str, *, options: CallOptions | None = None) -> types.TenantDeletion:
        """Permanently deletes the tenant and its connections. `wait_for_deletion` waits for the result."""
        return cast("types.TenantDeletion", self._transport.send("deleteTenant", params={"tenantId": tenant_id}, options=options))

    def get_deletion(self, tenant_id: str, *, options: CallOptions | None = None) -> types.TenantDeletion:
        return cast("types.TenantDeletion", self._transport.send("getTenantDeletion", params={"tenantId": tenant_id}, options=options))

    def get_tool_policy(self, tenant_id: str, *, options: CallOptions | None = None) -> types.ToolPolicyState:
        return cast("types.ToolPolicyState", self._transport.send("readTenantToolPolicy", params={"tenantId": tenant_id}, options=options))

    def put_tool_policy(self, tenant_id: str, body: types.ToolPolicyRequest, *, options: CallOptions | None = None) -> None:
        self._transport.send("putTenantToolPolicy", params={"tenantId": tenant_id}, body=body, options=options)

    def delete_tool_policy(
        self,
        tenant_id: str,
        *,
        if_version: int | None = None,
        reason: str | None = None,
        options: CallOptions | None = None,
    ) -> None:
        self._transport.send("deleteTenantToolPolicy", params={"tenantId": tenant_id}, query={"ifVersion": if_version, "reason": reason}, options=options)

    def list_tool_policy_versions(self, tenant_id: str, *, limit: int | None = None, options: CallOptions | None = None) -> ItemList[types.ToolPolicyVersion, types.ToolPolicyVersionList]:
        return ItemList(self._transport, "listTenantToolPolicyVersions", params={"tenantId": tenant_id}, query={"limit": limit}, options=options)

    def roll_back_tool_policy(self, tenant_id: str, body: types.ToolPolicyRollbackRequest, *, options: CallOptions | None = None) -> None:
        self._transport.send("rollBackTenantToolPolicy", params={"tenantId": tenant_id}, body=body, options=options)

    def put_logo(
        self,
        tenant_id: str,
        color_scheme: Literal["light", "dark"],
        body: types.LogoRequest,
        *,
        options: CallOptions | None = None,
    ) -> types.Logo:
        """`image` is a PNG, JPEG or WebP file in base64."""
        return cast("types.Logo", self._transport.send("putLogo", params={"tenantId": tenant_id, "colorScheme": color_scheme}, body=body, options=options))

    def delete_logo(self, tenant_id: str, color_scheme: Literal["light", "dark"], *, options: CallOptions | None = None) -> None:
        self._transport.send("deleteLogo", params={"tenantId": tenant_id, "colorScheme": color_scheme}, options=options)

    def export(self, tenant_id: str, *, limit: int | None = None, options: CallOptions | None = None) -> ItemList[types.ExportRecord, types.ExportRecordList]:
        """Exports all data of the tenant, one record per item."""
        return ItemList(self._transport, "exportTenant", params={"tenantId": tenant_id}, query={"limit": limit}, options=options)


class Integrations(Resource):
    def list(
        self,
        *,
        q: str | None = None,
        category: types.IntegrationCategory | None = None,
        tier: Literal["verified", "corroborated", "listed", "discovered"] | None = None,
        available: Literal["true", "false"] | None = None,
        limit: int | None = None,
        options: CallOptions | None = None,
    ) -> ItemList[types.Integration, types.IntegrationList]:
        return ItemList(self._transport, "listIntegrations", query={"q": q, "category": category, "tier": tier, "available": available, "limit": limit}, options=options)

    def get_settings(self, integration_id: str, *, options: CallOptions | None = None) -> types.IntegrationSettings:
        return cast("types.IntegrationSettings", self._transport.send("readIntegrationSettings", params={"integrationId": integration_id}, options=options))

    def put_settings(self, integration_id: str, body: types.IntegrationSettingsRequest, *, options: CallOptions | None = None) -> types.IntegrationSettings:
        return cast("types.IntegrationSettings", self._transport.send("putIntegrationSettings", params={"integrationId": integration_id}, body=body, options=options))

    def delete_settings(
        self,
        integration_id: str,
        *,
        if_version: int | None = None,
        break_connections: Literal["true", "false"] | None = None,
        reason: str | None = None,
        options: CallOptions | None = None,
    ) -> None:
        self._transport.send("deleteIntegrationSettings", params={"integrationId": integration_id}, query={"ifVersion": if_version, "breakConnections": break_connections, "reason": reason}, options=options)

    def list_settings_versions(self, integration_id: str, *, limit: int | None = None, options: CallOptions | None = None) -> ItemList[types.IntegrationSettingsVersion, types.IntegrationSettingsVersionList]:
        return ItemList(self._transport, "listIntegrationSettingsVersions", params={"integrationId": integration_id}, query={"limit": limit}, options=options)

    def roll_back_settings(self, integration_id: str, body: types.SettingsRollbackRequest, *, options: CallOptions | None = None) -> types.IntegrationSettings:
        return cast("types.IntegrationSettings", self._transport.send("rollBackIntegrationSettings", params={"integrationId": integration_id}, body=body, options=options))

    def list_clients(self, tenant_id: str, *, options: CallOptions | None = None) -> ItemList[types.OAuthClientDetails, types.OAuthClientDetailsList]:
        """Lists the tenant's OAuth clients, without secrets."""
        return ItemList(self._transport, "listOAuthClients", params={"tenantId": tenant_id}, options=options)

    def put_client(
        self,
        tenant_id: str,
        integration_id: str,
        body: types.OAuthClientRequest,
        *,
        options: CallOptions | None = None,
    ) -> types.OAuthClient:
        return cast("types.OAuthClient", self._transport.send("putOAuthClient", params={"tenantId": tenant_id, "integrationId": integration_id}, body=body, options=options))

    def delete_client(self, tenant_id: str, integration_id: str, *, options: CallOptions | None = None) -> None:
        self._transport.send("deleteOAuthClient", params={"tenantId": tenant_id, "integrationId": integration_id}, options=options)


class Connections(Resource):
    def get_tool_policy(self, connection_id: str, *, options: CallOptions | None = None) -> types.ToolPolicyState:
        return cast("types.ToolPolicyState", self._transport.send("readConnectionToolPolicy", params={"connectionId": connection_id}, options=options))

    def put_tool_policy(self, connection_id: str, body: types.ToolPolicyRequest, *, options: CallOptions | None = None) -> None:
        self._transport.send("putConnectionToolPolicy", params={"connectionId": connection_id}, body=body, options=options)

    def delete_tool_policy(
        self,
        connection_id: str,
        *,
        if_version: int | None = None,
        reason: str | None = None,
        options: CallOptions | None = None,
    ) -> None:
        self._transport.send("deleteConnectionToolPolicy", params={"connectionId": connection_id}, query={"ifVersion": if_version, "reason": reason}, options=options)

    def list_tool_policy_versions(self, connection_id: str, *, limit: int | None = None, options: CallOptions | None = None) -> ItemList[types.ToolPolicyVersion, types.ToolPolicyVersionList]:
        return ItemList(self._transport, "listConnectionToolPolicyVersions", params={"connectionId": connection_id}, query={"limit": limit}, options=options)

    def roll_back_tool_policy(self, connection_id: str, body: types.ToolPolicyRollbackRequest, *, options: CallOptions | None = None) -> None:
        self._transport.send("rollBackConnectionToolPolicy", params={"connectionId": connection_id}, body=body, options=options)

    def get_login_tool_policy(self, connection_id: str, grant_id: str, *, options: CallOptions | None = None) -> types.ToolPolicyState:
        return cast("types.ToolPolicyState", self._transport.send("readLoginToolPolicy", params={"connectionId": connection_id, "grantId": grant_id}, options=options))

    def put_login_tool_policy(
        self,
        connection_id: str,
        grant_id: str,
        body: types.ToolPolicyRequest,
        *,
        options: CallOptions | None = None,
    ) -> None:
        self._transport.send("putLoginToolPolicy", params={"connectionId": connection_id, "grantId": grant_id}, body=body, options=options)

    def delete_login_tool_policy(
        self,
        connection_id: str,
        grant_id: str,
        *,
        if_version: int | None = None,
        reason: str | None = None,
        options: CallOptions | None = None,
    ) -> None:
        self._transport.send("deleteLoginToolPolicy", params={"connectionId": connection_id, "grantId": grant_id}, query={"ifVersion": if_version, "reason": reason}, options=options)

    def list_login_tool_policy_versions(
        self,
        connection_id: str,
        grant_id: str,
        *,
        limit: int | None = None,
        options: CallOptions | None = None,
    ) -> ItemList[types.ToolPolicyVersion, types.ToolPolicyVersionList]:
        return ItemList(self._transport, "listLoginToolPolicyVersions", params={"connectionId": connection_id, "grantId": grant_id}, query={"limit": limit}, options=options)

    def roll_back_login_tool_policy(
        self,
        connection_id: str,
        grant_id: str,
        body: types.ToolPolicyRollbackRequest,
        *,
        options: CallOptions | None = None,
    ) -> None:
        self._transport.send("rollBackLoginToolPolicy", params={"connectionId": connection_id, "grantId": grant_id}, body=body, options=options)

    def create(self, body: types.ConnectionRequest, *, options: CallOptions | None = None) -> types.Connection:
        """The user links an account when an MCP client first calls the function."""
        return cast("types.Connection", self._transport.send("createConnection", body=body, options=options))

    def list(
        self,
        *,
        tenant_id: str | None = None,
        integration_id: str | None = None,
        status: types.ConnectionStatus | None = None,
        cause_code: types.CauseCode | None = None,
        end_user_id: str = OMITTED,
        alias: str | None = None,
        labels: str | None = None,
        locale: str | None = None,
        limit: int | None = None,
        options: CallOptions | None = None,
    ) -> ItemList[types.Connection, types.ConnectionList]:
        return ItemList(self._transport, "listConnections", query={"tenantId": tenant_id, "integrationId": integration_id, "status": status, "causeCode": cause_code, "endUserId": end_user_id, "alias": alias, "labels": labels, "locale": locale, "limit": limit}, options=options)

    def get(self, connection_id: str, *, locale: str | None = None, options: CallOptions | None = None) -> types.Connection:
        """`locale` is the language of `causeForUser`. Default: English."""
        return cast("types.Connection", self._transport.send("getConnection", params={"connectionId": connection_id}, query={"locale": locale}, options=options))

    def create_relink_session(self, connection_id: str, body: types.RelinkSessionRequest, *, options: CallOptions | None = None) -> types.CreatedConnectSession:
        """Send `url` of the response to the user. For a signed-in user and `finish`, use `connect.begin_relink`."""
        return cast("types.CreatedConnectSession", self._transport.send("createRelinkSession", params={"connectionId": connection_id}, body=body, options=options))

    def update(self, connection_id: str, body: types.ConnectionUpdate, *, options: CallOptions | None = None) -> types.Connection:
        """Changes the alias and the labels."""
        return cast("types.Connection", self._transport.send("updateConnection", params={"connectionId": connection_id}, body=body, options=options))

    def check_health(self, connection_id: str, body: types.ReasonRequest, *, options: CallOptions | None = None) -> types.HealthCheck:
        """Runs a health check, which uses the connection once."""
        return cast("types.HealthCheck", self._transport.send("createHealthCheck", params={"connectionId": connection_id}, body=body, options=options))

    def get_health(self, connection_id: str, *, locale: str | None = None, options: CallOptions | None = None) -> types.ConnectionHealth:
        """Returns the connection and its last checks."""
        return cast("types.ConnectionHealth", self._transport.send("getConnectionHealth", params={"connectionId": connection_id}, query={"locale": locale}, options=options))

    def verify(self, connection_id: str, body: types.ReasonRequest, *, options: CallOptions | None = None) -> types.ConnectionTools:
        """Lists the tools of the function. Does not use the grant."""
        return cast("types.ConnectionTools", self._transport.send("verifyConnection", params={"connectionId": connection_id}, body=body, options=options))

    def create_function_login(self, connection_id: str, body: types.FunctionLoginRequest | None = None, *, options: CallOptions | None = None) -> types.FunctionLogin:
        """Redirect the signed-in user to `url` of the response, to open the function in their MCP client."""
        return cast("types.FunctionLogin", self._transport.send("createFunctionLogin", params={"connectionId": connection_id}, body=body, options=options))

    def end_function_logins(self, connection_id: str, *, options: CallOptions | None = None) -> None:
        """Call it when the user logs out of your product everywhere."""
        self._transport.send("endFunctionLogins", params={"connectionId": connection_id}, options=options)

    def list_function_grants(self, connection_id: str, *, options: CallOptions | None = None) -> ItemList[types.FunctionGrant, types.FunctionGrantList]:
        """Lists the MCP clients that the user has allowed."""
        return ItemList(self._transport, "listFunctionGrants", params={"connectionId": connection_id}, options=options)

    def revoke_function_grant(self, connection_id: str, grant_id: str, *, options: CallOptions | None = None) -> None:
        self._transport.send("revokeFunctionGrant", params={"connectionId": connection_id, "grantId": grant_id}, options=options)

    def get_access_token(self, connection_id: str, *, host: str | None = None, options: CallOptions | None = None) -> types.AccessToken:
        """Prefer `connections.fetch`, which needs no token."""
        return cast("types.AccessToken", self._transport.send("getAccessToken", params={"connectionId": connection_id}, query={"host": host}, options=options))

    def get_tool_list(self, connection_id: str, *, options: CallOptions | None = None) -> types.ToolList:
        """Returns the tools of the vendor's MCP server: those that agents see and those pending approval."""
        return cast("types.ToolList", self._transport.send("readToolList", params={"connectionId": connection_id}, options=options))

    def approve_tool_list(self, connection_id: str, body: types.ToolListApproval, *, options: CallOptions | None = None) -> types.ToolList:
        """Approves a change by the hash of `pending` in the tool list."""
        return cast("types.ToolList", self._transport.send("approveToolList", params={"connectionId": connection_id}, body=body, options=options))

    def list_approvals(self, connection_id: str, *, options: CallOptions | None = None) -> ItemList[types.Approval, types.ApprovalList]:
        """Lists the tool calls of the last 30 days that a person had to allow, newest first."""
        return ItemList(self._transport, "listApprovals", params={"connectionId": connection_id}, options=options)

    def rollback(self, connection_id: str, body: types.ReasonRequest, *, options: CallOptions | None = None) -> types.ConnectionTask:
        """Restores the grant from before the last re-link. `wait_for_task` waits for the result."""
        return cast("types.ConnectionTask", self._transport.send("rollBackConnection", params={"connectionId": connection_id}, body=body, options=options))

    def disconnect(self, connection_id: str, body: types.ReasonRequest, *, options: CallOptions | None = None) -> types.ConnectionTask:
        """Permanently revokes the grant and removes the connection. `wait_for_task` waits for the result."""
        return cast("types.ConnectionTask", self._transport.send("disconnectConnection", params={"connectionId": connection_id}, body=body, options=options))

    def get_task(self, connection_id: str, task_id: str, *, options: CallOptions | None = None) -> types.ConnectionTask:
        return cast("types.ConnectionTask", self._transport.send("getConnectionTask", params={"connectionId": connection_id, "taskId": task_id}, options=options))


class ConnectSessions(Resource):
    def create(self, body: types.ConnectSessionRequest, *, options: CallOptions | None = None) -> types.CreatedConnectSession:
        return cast("types.CreatedConnectSession", self._transport.send("createConnectSession", body=body, options=options))

    def get(self, connect_session_id: str, *, options: CallOptions | None = None) -> types.ConnectSession:
        return cast("types.ConnectSession", self._transport.send("getConnectSession", params={"connectSessionId": connect_session_id}, options=options))

    def cancel(self, connect_session_id: str, body: types.OptionalReasonRequest | None = None, *, options: CallOptions | None = None) -> types.ConnectSession:
        """Invalidates the URL."""
        return cast("types.ConnectSession", self._transport.send("cancelConnectSession", params={"connectSessionId": connect_session_id}, body=body, options=options))

    def complete(self, connect_session_id: str, body: types.CompletionRequest, *, options: CallOptions | None = None) -> types.Link:
        return cast("types.Link", self._transport.send("completeConnectSession", params={"connectSessionId": connect_session_id}, body=body, options=options))


class Links(Resource):
    def list(
        self,
        *,
        tenant_id: str | None = None,
        status: types.LinkStatus | None = None,
        cause_code: types.CauseCode | None = None,
        limit: int | None = None,
        options: CallOptions | None = None,
    ) -> ItemList[types.Link, types.LinkList]:
        return ItemList(self._transport, "listLinks", query={"tenantId": tenant_id, "status": status, "causeCode": cause_code, "limit": limit}, options=options)

    def get(self, link_id: str, *, options: CallOptions | None = None) -> types.Link:
        return cast("types.Link", self._transport.send("getLink", params={"linkId": link_id}, options=options))

    def resume(self, link_id: str, body: types.OptionalReasonRequest | None = None, *, options: CallOptions | None = None) -> types.Link:
        """Resumes a link with the status `needs_attention`, after its cause was fixed."""
        return cast("types.Link", self._transport.send("resumeLink", params={"linkId": link_id}, body=body, options=options))

    def resume_by_cause(self, body: types.LinkResumptionRequest, *, options: CallOptions | None = None) -> types.LinkResumption:
        """Resumes all links that need attention for one cause. Requires a deployment key."""
        return cast("types.LinkResumption", self._transport.send("createLinkResumption", body=body, options=options))


class Imports(Resource):
    def create(self, body: types.ImportRequest, *, options: CallOptions | None = None) -> types.ImportProgress:
        return cast("types.ImportProgress", self._transport.send("createImport", body=body, options=options))

    def list(self, *, tenant_id: str | None = None, limit: int | None = None, options: CallOptions | None = None) -> ItemList[types.Import, types.ImportList]:
        return ItemList(self._transport, "listImports", query={"tenantId": tenant_id, "limit": limit}, options=options)

    def get(self, import_id: str, *, options: CallOptions | None = None) -> types.ImportProgress:
        return cast("types.ImportProgress", self._transport.send("getImport", params={"importId": import_id}, options=options))

    def cancel(self, import_id: str, *, options: CallOptions | None = None) -> types.ImportProgress:
        return cast("types.ImportProgress", self._transport.send("cancelImport", params={"importId": import_id}, options=options))

    def add_rows(self, import_id: str, body: types.ImportRowsRequest, *, options: CallOptions | None = None) -> types.ImportRows:
        """Max 500 rows per call. Rows are idempotent by `key`."""
        return cast("types.ImportRows", self._transport.send("addImportRows", params={"importId": import_id}, body=body, options=options))

    def list_rows(
        self,
        import_id: str,
        *,
        status: types.ImportRowStatus | None = None,
        limit: int | None = None,
        options: CallOptions | None = None,
    ) -> ItemList[types.ImportRow, types.ImportRowList]:
        """Lists rows with their results."""
        return ItemList(self._transport, "listImportRows", params={"importId": import_id}, query={"status": status, "limit": limit}, options=options)


class ManageSessions(Resource):
    def create(self, body: types.ManageSessionRequest, *, options: CallOptions | None = None) -> types.CreatedManageSession:
        """Redirect the user's browser to `url` immediately. Don't send or store the URL."""
        return cast("types.CreatedManageSession", self._transport.send("createManageSession", body=body, options=options))

    def get(self, manage_session_id: str, *, options: CallOptions | None = None) -> types.ManageSession:
        return cast("types.ManageSession", self._transport.send("getManageSession", params={"manageSessionId": manage_session_id}, options=options))

    def revoke(self, manage_session_id: str, *, options: CallOptions | None = None) -> types.ManageSession:
        """Ends the session immediately."""
        return cast("types.ManageSession", self._transport.send("revokeManageSession", params={"manageSessionId": manage_session_id}, options=options))


class Campaigns(Resource):
    def create(self, body: types.CampaignRequest, *, options: CallOptions | None = None) -> types.CreatedCampaign:
        """The response has one URL per user. The URLs are secrets and are shown only once."""
        return cast("types.CreatedCampaign", self._transport.send("createCampaign", body=body, options=options))

    def list(self, *, limit: int | None = None, options: CallOptions | None = None) -> ItemList[types.Campaign, types.CampaignList]:
        return ItemList(self._transport, "listCampaigns", query={"limit": limit}, options=options)

    def get(self, campaign_id: str, *, options: CallOptions | None = None) -> types.Campaign:
        return cast("types.Campaign", self._transport.send("getCampaign", params={"campaignId": campaign_id}, options=options))

    def list_members(self, campaign_id: str, *, limit: int | None = None, options: CallOptions | None = None) -> ItemList[types.CampaignMember, types.CampaignMemberList]:
        """Lists the connections of a campaign with their results."""
        return ItemList(self._transport, "listCampaignMembers", params={"campaignId": campaign_id}, query={"limit": limit}, options=options)

    def cancel(self, campaign_id: str, body: types.ReasonRequest, *, options: CallOptions | None = None) -> types.Campaign:
        return cast("types.Campaign", self._transport.send("cancelCampaign", params={"campaignId": campaign_id}, body=body, options=options))


class Webhooks(Resource):
    def create(self, tenant_id: str, body: types.WebhookRequest, *, options: CallOptions | None = None) -> types.CreatedWebhook:
        """`secret` of the response is shown only once."""
        return cast("types.CreatedWebhook", self._transport.send("createWebhook", params={"tenantId": tenant_id}, body=body, options=options))

    def list(self, tenant_id: str, *, options: CallOptions | None = None) -> ItemList[types.Webhook, types.WebhookList]:
        return ItemList(self._transport, "listWebhooks", params={"tenantId": tenant_id}, options=options)

    def delete(self, tenant_id: str, webhook_id: str, *, options: CallOptions | None = None) -> None:
        self._transport.send("deleteWebhook", params={"tenantId": tenant_id, "webhookId": webhook_id}, options=options)

    def rotate_secret(self, tenant_id: str, webhook_id: str, *, options: CallOptions | None = None) -> types.WebhookWithNewSecret:
        """Messages are also signed with the previous secret for one day."""
        return cast("types.WebhookWithNewSecret", self._transport.send("rotateWebhookSecret", params={"tenantId": tenant_id, "webhookId": webhook_id}, options=options))

    def enable(self, tenant_id: str, webhook_id: str, *, options: CallOptions | None = None) -> types.Webhook:
        """Enables an endpoint that was disabled, for example by a 410 response."""
        return cast("types.Webhook", self._transport.send("enableWebhook", params={"tenantId": tenant_id, "webhookId": webhook_id}, options=options))

    def disable(self, tenant_id: str, webhook_id: str, *, options: CallOptions | None = None) -> types.Webhook:
        """Stops deliveries until the endpoint is enabled. Pending deliveries are not retried."""
        return cast("types.Webhook", self._transport.send("disableWebhook", params={"tenantId": tenant_id, "webhookId": webhook_id}, options=options))

    def list_deliveries(
        self,
        tenant_id: str,
        *,
        status: Literal["pending", "delivered", "dead"] | None = None,
        webhook_id: str | None = None,
        limit: int | None = None,
        options: CallOptions | None = None,
    ) -> ItemList[types.WebhookDelivery, types.WebhookDeliveryList]:
        return ItemList(self._transport, "listWebhookDeliveries", params={"tenantId": tenant_id}, query={"status": status, "webhookId": webhook_id, "limit": limit}, options=options)

    def replay_delivery(
        self,
        tenant_id: str,
        delivery_id: str,
        body: types.OptionalReasonRequest | None = None,
        *,
        options: CallOptions | None = None,
    ) -> types.WebhookDelivery:
        return cast("types.WebhookDelivery", self._transport.send("replayWebhookDelivery", params={"tenantId": tenant_id, "deliveryId": delivery_id}, body=body, options=options))


class Events(Resource):
    def list(
        self,
        tenant_id: str,
        *,
        order: Literal["oldest", "newest"] | None = None,
        limit: int | None = None,
        options: CallOptions | None = None,
    ) -> ItemList[types.Event, types.EventList]:
        """Oldest first. `pages` of the list continues after the `cursor` of an event."""
        return ItemList(self._transport, "listEvents", params={"tenantId": tenant_id}, query={"order": order, "limit": limit}, options=options)

    def trigger(self, tenant_id: str, body: types.EventRequest, *, options: CallOptions | None = None) -> types.Event:
        """Creates an event with sample data. Test mode only."""
        return cast("types.Event", self._transport.send("triggerEvent", params={"tenantId": tenant_id}, body=body, options=options))


class Audit(Resource):
    def list(
        self,
        *,
        tenant_id: str | None = None,
        action: types.AuditEntryAction | None = None,
        connection_id: str | None = None,
        link_id: str | None = None,
        actor: str | None = None,
        request_id: str | None = None,
        from_: str | None = None,
        to: str | None = None,
        limit: int | None = None,
        options: CallOptions | None = None,
    ) -> ItemList[types.AuditEntry, types.AuditEntryList]:
        return ItemList(self._transport, "listAuditEntries", query={"tenantId": tenant_id, "action": action, "connectionId": connection_id, "linkId": link_id, "actor": actor, "requestId": request_id, "from": from_, "to": to, "limit": limit}, options=options)

    def list_records(self, *, tenant_id: str | None = None, limit: int | None = None, options: CallOptions | None = None) -> ItemList[types.AuditRecord, types.AuditRecordList]:
        """Oldest first, with the hashes of the audit chain."""
        return ItemList(self._transport, "listAuditRecords", query={"tenantId": tenant_id, "limit": limit}, options=options)

    def get_head(self, *, tenant_id: str | None = None, options: CallOptions | None = None) -> types.AuditHead:
        return cast("types.AuditHead", self._transport.send("getAuditHead", query={"tenantId": tenant_id}, options=options))


class Erasures(Resource):
    def create(self, body: types.ErasureRequest, *, options: CallOptions | None = None) -> types.Erasure:
        """Cannot be undone. Keep the ID: the event refers to it. `wait_for` waits for the result."""
        return cast("types.Erasure", self._transport.send("createErasure", body=body, options=options))

    def list(
        self,
        *,
        tenant_id: str | None = None,
        end_user_id: str = OMITTED,
        limit: int | None = None,
        options: CallOptions | None = None,
    ) -> ItemList[types.Erasure, types.ErasureList]:
        return ItemList(self._transport, "listErasures", query={"tenantId": tenant_id, "endUserId": end_user_id, "limit": limit}, options=options)

    def get(self, erasure_id: str, *, options: CallOptions | None = None) -> types.Erasure:
        return cast("types.Erasure", self._transport.send("getErasure", params={"erasureId": erasure_id}, options=options))
