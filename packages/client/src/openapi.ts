// Generated from the OpenAPI document by `npm run generate`. Not to be edited.
export interface components {
  schemas: {
    /** @description A short-lived access token of a linked account. */
    AccessToken: {
      /** @description Keep it in memory only. It works for everybody who has it. */
      accessToken: string;
      /** @description The API hosts of the app. Send the token to no other host. */
      apiHosts: string[];
      /**
       * Format: date-time
       * @description Request another token from this time on.
       */
      expiresAt: string;
      /** @description The request header in which the API expects the token. */
      header: string;
      /** @description The text before the token in that header, such as `Bearer `. */
      prefix: string;
      /** @description The scopes that the user granted. */
      scopes: string[];
    };
    /** @description Access token not allowed. */
    AccessTokensRefusedProblem: components["schemas"]["Problem"] & {
      /** @constant */
      code?: "access_tokens_refused";
      /** @constant */
      status?: 403;
    };
    /** @description Account can’t be used. */
    AccountUnusableProblem: components["schemas"]["Problem"] & {
      /** @constant */
      code?: "account_unusable";
      /** @constant */
      status?: 409;
    };
    /** @description Alias taken. */
    AliasTakenProblem: components["schemas"]["Problem"] & {
      /** @constant */
      code?: "alias_taken";
      /** @constant */
      status?: 409;
    };
    /** @description A tool call that the operator’s policy lets a person decide on. */
    Approval: {
      /** @description The account or key that made the call. */
      caller: string;
      /** Format: date-time */
      createdAt: string;
      /** @description The account that decided. */
      decidedBy?: string;
      /**
       * @description Set when somebody has decided.
       * @enum {string}
       */
      decision?: "once" | "hour" | "decline";
      /** Format: date-time */
      expiresAt: string;
      id: string;
      /**
       * @description `waiting`: for a decision. `allowed_once` and `allowed_for_an_hour`: until `expiresAt`. `used`: the call that was allowed once was sent. `expired`: nobody decided, or the permission has ended.
       * @enum {string}
       */
      state: "waiting" | "allowed_once" | "allowed_for_an_hour" | "declined" | "used" | "expired";
      /** @description The name of the tool, or `relay` and the method. Arguments are not shown. */
      tool: string;
      /**
       * Format: uri
       * @description The page for the people who may decide. It grants nothing.
       */
      url: string;
    };
    /** @description A page of the list. */
    ApprovalList: {
      data: components["schemas"]["Approval"][];
      /** @description Send it as `cursor` for the next page. Absent on the last page. */
      nextCursor?: string;
    };
    /** @description App not responding. */
    AppUnavailableProblem: components["schemas"]["Problem"] & {
      /** @constant */
      code?: "app_unavailable";
      /** @constant */
      status?: 502;
    };
    /** @description An entry of the audit log. */
    AuditEntry: {
      /** @enum {string} */
      action: "tenant.put" | "tenant.suspended" | "tenant.reactivated" | "tenant.exported" | "tenant.deletion_started" | "tenant.sessions_cancelled" | "tenant.deleted" | "tenant.signing_secret_rotated" | "tenant.oauth_client_put" | "tenant.oauth_client_deleted" | "tenant.logo_put" | "tenant.logo_deleted" | "key.created" | "key.revoked" | "key.exposed" | "key.encryption_rotated" | "authz.denied" | "event.triggered" | "session.minted" | "session.cancelled" | "relink.minted" | "return_url.rejected" | "connect.rejected" | "callback.rejected" | "callback.replayed" | "completion.rejected" | "link.started" | "link.imported" | "link.authorizing" | "link.code_waiting" | "link.exchanging" | "link.exchange_withdrawn" | "link.escrowed" | "link.testing" | "link.tested" | "link.connection_ready" | "link.function_ready" | "link.verified" | "link.linked" | "link.rolling_back" | "link.revoking" | "link.needs_attention" | "link.cancelled" | "link.denied" | "link.abandoned" | "link.failed" | "link.exchange_unknown" | "link.resumed" | "link.ended" | "relink.account_mismatch" | "end_user.erasure_started" | "end_user.erased" | "import.created" | "import.rows_added" | "import.cancelled" | "connection.created" | "connection.renamed" | "connection.needs_relink" | "connection.health_unknown" | "connection.grant_ends_soon" | "connection.account_learned" | "connection.recovered" | "connection.checked" | "connection.verified" | "connection.verify_failed" | "connection.tools_changed" | "connection.tools_approved" | "access_token.issued" | "connection.approval_requested" | "connection.approval_decided" | "function_login.created" | "function_login.ended" | "function_grant.revoked" | "manage_session.minted" | "manage_session.opened" | "manage_session.ended" | "manage_session.revoked" | "manage.rejected" | "disconnect.started" | "disconnect.failed" | "connection.grant_revocation" | "connection.function_removed" | "connection.disconnected" | "rollback.started" | "rollback.tested" | "rollback.swapped" | "rollback.verified" | "rollback.reverting" | "rollback.failed" | "connection.rolled_back" | "campaign.started" | "campaign.cancelled" | "webhook.created" | "webhook.deleted" | "webhook.secret_rotated" | "webhook.enabled" | "webhook.disabled" | "webhook.replayed" | "webhook.failed_replayed" | "egress.blocked" | "console.signed_in" | "console.refused" | "console.denied" | "csrf.rejected" | "console.signed_out_everywhere" | "oauth_client.registered" | "oauth_client.forgotten" | "integration.examined" | "integration.settings_put" | "integration.settings_removed" | "integration.settings_rolled_back" | "tenant.tool_policy_put" | "tenant.tool_policy_removed" | "connection.tool_policy_put" | "connection.tool_policy_removed" | "audit.exported" | "list.exported";
      actor: {
        id?: string;
        kind: string;
        name?: string;
      };
      /** @description The subject after the change. */
      after?: {
        [key: string]: unknown;
      };
      /** @description The subject before the change. */
      before?: {
        [key: string]: unknown;
      };
      connectionId?: string;
      /** @description The erasure that removed personal data, including the reason, from this entry. */
      erasureId?: string;
      /** @description Details by name, depending on the action. */
      facts: {
        [key: string]: unknown;
      };
      id: string;
      linkId?: string;
      /** Format: date-time */
      occurredAt: string;
      /** @description The reason that the actor gave. */
      reason?: string;
      requestId?: string;
      /** @description The subject of the entry. Absent if a rejected request named no existing resource. */
      subject?: {
        id: string;
        /** @enum {string} */
        kind: "tenant" | "oauth_client" | "api_key" | "connect_session" | "link" | "connection" | "manage_session" | "campaign" | "import" | "erasure" | "webhook" | "webhook_delivery" | "console_user";
      };
      tenantId?: string;
    };
    /** @description A page of the list. */
    AuditEntryList: {
      data: components["schemas"]["AuditEntry"][];
      /** @description Send it as `cursor` for the next page. Absent on the last page. */
      nextCursor?: string;
    };
    /** @description The newest position of an audit chain, signed. */
    AuditHead: {
      /** @description The hash of this position. SHA-256 in base64url. */
      hash: string;
      /** @description The same as a JWS, signed by a key of `/.well-known/jwks.json`. Keep it elsewhere. */
      head: string;
      /** @description The position of the head in the chain. */
      position: number;
      /**
       * Format: date-time
       * @description When the head was signed.
       */
      sealedAt: string;
      tenantId?: string;
    };
    /** @description A position of an audit chain. */
    AuditRecord: {
      /** @description What `leaf` was made of: `kind` is `entry`, `erasure`, `retention` or `break`. Absent if the entry was removed. */
      body?: {
        [key: string]: unknown;
      };
      /** @description Of the bytes of `previous` and `leaf`. SHA-256 in base64url. */
      hash?: string;
      /** @description The part that only deployment keys see. `body.hidden` is its digest. */
      hidden?: {
        [key: string]: unknown;
      };
      /** @description As sealed, of `body` in canonical JSON (RFC 8785). SHA-256 in base64url. */
      leaf?: string;
      /** @description The part of an entry that an erasure deletes. Absent after one. `body.personal` is its digest. */
      personal?: {
        [key: string]: unknown;
      };
      /** @description The position in the chain, from 1. */
      position: number;
      /** @description `hash` of the position before. SHA-256 in base64url. */
      previous?: string;
      /** @description The ID of an entry before this position that no position names. It was inserted. */
      unsealedId?: string;
    };
    /** @description A batch of the tenant’s audit chain, as in List audit records. Only for endpoints that name this event. Batches may arrive out of order: `first` of the next one is `last` plus one. */
    AuditRecordedEvent: {
      data: {
        /** @description The position of the first record. */
        first: number;
        /** @description The signed head of the chain at a position of the batch, as a JWS. Keep it. */
        head?: string;
        /** @description The position of the last record. */
        last: number;
        /** @description The records as of now, oldest first. Some are missing if they have been deleted since. */
        records: components["schemas"]["AuditRecord"][];
        tenantId: string;
        /**
         * @description Present in test mode, which uses no real account and no platform.
         * @constant
         */
        testMode?: true;
      };
      /**
       * Format: date-time
       * @description When the event happened.
       */
      timestamp: string;
      /** @constant */
      type: "audit.recorded";
    };
    /** @description A page of the list. */
    AuditRecordList: {
      data: components["schemas"]["AuditRecord"][];
      /** @description Send it as `cursor` for the next page. Absent on the last page. */
      nextCursor?: string;
    };
    /** @description Too many waiting links. */
    BacklogFullProblem: components["schemas"]["Problem"] & {
      /** @constant */
      code?: "backlog_full";
      /** @constant */
      status?: 503;
    };
    /** @description Body too large. */
    BodyTooLargeProblem: components["schemas"]["Problem"] & {
      /** @constant */
      code?: "body_too_large";
      /** @constant */
      status?: 413;
    };
    /** @description Unreadable body. */
    BodyUnreadableProblem: components["schemas"]["Problem"] & {
      /** @constant */
      code?: "body_unreadable";
      /** @constant */
      status?: 400;
    };
    /** @description Re-link sessions for every connection that broke for one cause. */
    Campaign: {
      /** Format: date-time */
      cancelledAt?: string;
      cause: components["schemas"]["Cause"];
      /** @description The number of connections by status. */
      counts: {
        cancelled: number;
        expired: number;
        failed: number;
        linked: number;
        open: number;
        started: number;
      };
      /** Format: date-time */
      createdAt: string;
      /** Format: date-time */
      expiresAt: string;
      id: string;
      integrationId?: string;
      reason: string;
      tenantId?: string;
    };
    /** @description No connections for this campaign. */
    CampaignEmptyProblem: components["schemas"]["Problem"] & {
      /** @constant */
      code?: "campaign_empty";
      /** @constant */
      status?: 409;
    };
    /** @description A page of the list. */
    CampaignList: {
      data: components["schemas"]["Campaign"][];
      /** @description Send it as `cursor` for the next page. Absent on the last page. */
      nextCursor?: string;
    };
    /** @description One connection of a campaign. */
    CampaignMember: {
      /** @description The account at the third party, if known. */
      accountLabel?: string;
      connectionId: string;
      /** @description The name of the connection on the platform. */
      connectionName: string;
      connectSessionId: string;
      endUser: components["schemas"]["EndUser"];
      integrationId: string;
      /** @description Present once the user has started. */
      linkId?: string;
      /** @enum {string} */
      status: "open" | "started" | "linked" | "failed" | "expired" | "cancelled";
      tenantId: string;
    };
    /** @description A page of the list. */
    CampaignMemberList: {
      data: components["schemas"]["CampaignMember"][];
      /** @description Send it as `cursor` for the next page. Absent on the last page. */
      nextCursor?: string;
    };
    /** @description One connection of a campaign, with the URL for its user. */
    CampaignMemberWithUrl: {
      /** @description The account at the third party, if known. */
      accountLabel?: string;
      connectionId: string;
      /** @description The name of the connection on the platform. */
      connectionName: string;
      connectSessionId: string;
      endUser: components["schemas"]["EndUser"];
      /**
       * Format: date-time
       * @description When this URL expires.
       */
      expiresAt: string;
      integrationId: string;
      /** @description Present once the user has started. */
      linkId?: string;
      /** @enum {string} */
      status: "open" | "started" | "linked" | "failed" | "expired" | "cancelled";
      tenantId: string;
      /**
       * Format: uri
       * @description For the user of this connection only. It is a secret and returned only once.
       */
      url: string;
    };
    /** @description Which connections to include, and why. */
    CampaignRequest: {
      /** @description The campaign includes connections that need a re-link for this cause. */
      causeCode: components["schemas"]["CauseCode"];
      /** @description Only connections of this integration. */
      integrationId?: string;
      /** @description The reason. It is recorded in the audit log. */
      reason: string;
      /** @description Only connections of this tenant. */
      tenantId?: string;
      /** @description How long the URLs can be opened. Defaults to seven days. */
      ttlSeconds?: number;
    };
    /** @description Why something does not work, and who has to act. */
    Cause: {
      advice: string;
      code: components["schemas"]["CauseCode"];
      /** @description The page that explains this cause, relative to the deployment's URL. */
      guide: string;
      title: string;
      whoseMove: components["schemas"]["WhoseMove"];
    };
    /**
     * @description The `code` of a cause.
     * @enum {string}
     */
    CauseCode: "consent_denied" | "user_cancelled" | "consent_failed" | "session_expired" | "session_cancelled" | "completion_missing" | "completion_refused" | "callback_rejected" | "code_refused" | "client_rejected" | "request_rejected" | "redirect_uri_rejected" | "client_forgotten" | "client_registration_refused" | "mcp_server_unprotected" | "mcp_server_redirects" | "mcp_metadata_unusable" | "mcp_issuer_unexpected" | "client_secret_expired" | "app_unverified" | "app_suspended" | "admin_approval_needed" | "clock_wrong" | "callback_missing" | "provider_unavailable" | "answer_malformed" | "answer_unreadable" | "identity_invalid" | "no_refresh_token" | "refresh_tokens_off" | "refresh_tokens_not_approved" | "scope_missing" | "scope_insufficient" | "account_mismatch" | "import_account_mismatch" | "already_connected" | "connection_limit" | "grant_unusable" | "relink_rolled_back" | "grant_revoked" | "profile_mismatch" | "check_held_back" | "refresh_refused" | "connection_gone" | "connection_busy" | "exchange_unknown" | "platform_unavailable" | "platform_refused" | "platform_misconfigured" | "address_blocked" | "name_taken" | "integration_removed" | "worker_crashed" | "sealed_unreadable" | "function_failed";
    /** @description Completed too early. */
    CompletionEarlyProblem: components["schemas"]["Problem"] & {
      /** @constant */
      code?: "completion_early";
      /** @constant */
      status?: 409;
    };
    /** @description Completed too late. */
    CompletionLateProblem: components["schemas"]["Problem"] & {
      /** @constant */
      code?: "completion_late";
      /** @constant */
      status?: 410;
    };
    /** @description Wrong completion. */
    CompletionRefusedProblem: components["schemas"]["Problem"] & {
      /** @constant */
      code?: "completion_refused";
      /** @constant */
      status?: 400;
    };
    /** @description The code from the return URL and the stored verifier. */
    CompletionRequest: {
      /** @description The `completion_code` parameter of the return URL. */
      completionCode: string;
      /** @description The verifier that your server stored in the session of the returning user. */
      completionVerifier: string;
    };
    /** @description Already completed. */
    CompletionUsedProblem: components["schemas"]["Problem"] & {
      /** @constant */
      code?: "completion_used";
      /** @constant */
      status?: 409;
    };
    /** @description The permanent result of a link: an end user’s account and the function that acts for it. */
    Connection: {
      /** @description The name of this account for agents and for its user. */
      alias?: string;
      /** @description Why the connection needs a re-link. */
      cause?: components["schemas"]["Cause"];
      /** @description The cause in words for the end user, with the names of the app and the tenant. Not part of exports. */
      causeForUser?: components["schemas"]["UserWords"];
      /**
       * Format: date-time
       * @description When the connection was last checked.
       */
      checkedAt?: string;
      /** @description Values that were typed for the account or returned by the provider, such as its subdomain. For an MCP server, the discovered values. */
      config?: {
        [key: string]: string;
      };
      /** Format: date-time */
      createdAt: string;
      /** Format: date-time */
      disconnectedAt?: string;
      endUser: components["schemas"]["EndUser"];
      functionName: string;
      /** @description Append `/mcp` for the URL of the MCP server. */
      functionUrl: string;
      /**
       * Format: date-time
       * @description When the provider ends the grant, regardless of use. Re-link before. Present in the last two weeks or, for grants that live less than 56 days, in the last quarter of their life.
       */
      grantEndsAt?: string;
      /**
       * Format: date-time
       * @description Since then no check has been conclusive. `GET /connections/{connectionId}/health` returns the causes.
       */
      healthUnknownSince?: string;
      id: string;
      integrationId: string;
      /** @description Your own names and values. */
      labels?: {
        [key: string]: string;
      };
      /** @description Scopes that the connection requests and was not granted: the user declined them, the integration requests them since, or a call of the function lacked them. Name them as `scopes` of a re-link session. Not part of exports. */
      missingScopes?: string[];
      /** @description The name of the connection on the platform. */
      name: string;
      /** Format: date-time */
      relinkedAt?: string;
      /** @description The granted scopes. */
      scopes: string[];
      status: components["schemas"]["ConnectionStatus"];
      tenantId: string;
      /**
       * @description Present in test mode, which uses no real account and no platform.
       * @constant
       */
      testMode?: true;
      /** Format: date-time */
      updatedAt: string;
      upstreamAccount?: components["schemas"]["UpstreamAccount"];
      workspace: string;
    };
    /** @description A person allowed or declined a call, or nobody decided in time. */
    ConnectionApprovalDecidedEvent: {
      data: {
        /** @description The name of this account for agents and for its user. */
        alias?: string;
        /** @description The `id` in the list of approvals of the connection. */
        approvalId: string;
        connectionId: string;
        /** @description Messages only contain the ID, not the name or email address. */
        endUser: components["schemas"]["EndUser"];
        integrationId: string;
        /** @description Your own names and values. */
        labels?: {
          [key: string]: string;
        };
        /**
         * @description `once`: this call was allowed. `hour`: calls of the tool are allowed for an hour. `decline`: the call was declined. `expired`: nobody decided.
         * @enum {string}
         */
        outcome: "once" | "hour" | "decline" | "expired";
        tenantId: string;
        /**
         * @description Present in test mode, which uses no real account and no platform.
         * @constant
         */
        testMode?: true;
        /** @description The name of the tool, or `relay` and the method. Arguments are not sent. */
        tool: string;
      };
      /**
       * Format: date-time
       * @description When the event happened.
       */
      timestamp: string;
      /** @constant */
      type: "connection.approval_decided";
    };
    /** @description The operator’s policy requires an approval for a call of the connection’s function. The people who may decide open `url`. It grants nothing, so you can send it to them. */
    ConnectionApprovalRequestedEvent: {
      data: {
        /** @description The name of this account for agents and for its user. */
        alias?: string;
        /** @description The `id` in the list of approvals of the connection. */
        approvalId: string;
        connectionId: string;
        /** @description Messages only contain the ID, not the name or email address. */
        endUser: components["schemas"]["EndUser"];
        /**
         * Format: date-time
         * @description When the question ends.
         */
        expiresAt: string;
        integrationId: string;
        /** @description Your own names and values. */
        labels?: {
          [key: string]: string;
        };
        tenantId: string;
        /**
         * @description Present in test mode, which uses no real account and no platform.
         * @constant
         */
        testMode?: true;
        /** @description The name of the tool, or `relay` and the method. Arguments are not sent. */
        tool: string;
        /**
         * Format: uri
         * @description The page on which the call is shown and decided.
         */
        url: string;
      };
      /**
       * Format: date-time
       * @description When the event happened.
       */
      timestamp: string;
      /** @constant */
      type: "connection.approval_requested";
    };
    /** @description Connection is being changed. */
    ConnectionBusyProblem: components["schemas"]["Problem"] & {
      /** @constant */
      code?: "connection_busy";
      /** @constant */
      status?: 409;
    };
    /** @description The function and the stored grant were deleted. Unless `revocation` is `revoked` or `shared`, the app still lists the access, and the user can remove it in their account there. */
    ConnectionDisconnectedEvent: {
      data: {
        /** @description The name of this account for agents and for its user. */
        alias?: string;
        connectionId: string;
        /** @description Messages only contain the ID, not the name or email address. */
        endUser: components["schemas"]["EndUser"];
        integrationId: string;
        /** @description Your own names and values. */
        labels?: {
          [key: string]: string;
        };
        /**
         * @description The result of revoking the grant at the provider, as in the disconnect task.
         * @enum {string}
         */
        revocation?: "revoked" | "not_kept" | "not_offered" | "shared" | "refused" | "blocked" | "client_gone";
        tenantId: string;
        /**
         * @description Present in test mode, which uses no real account and no platform.
         * @constant
         */
        testMode?: true;
      };
      /**
       * Format: date-time
       * @description When the event happened.
       */
      timestamp: string;
      /** @constant */
      type: "connection.disconnected";
    };
    /** @description Connection is disconnected. */
    ConnectionDisconnectedProblem: components["schemas"]["Problem"] & {
      /** @constant */
      code?: "connection_disconnected";
      /** @constant */
      status?: 409;
    };
    /** @description The provider ends grants at a max age, even if they are used, and this grant will soon reach it. Sent once per grant. Ask the user to reconnect before then: see Create a re-link session. */
    ConnectionGrantEndsSoonEvent: {
      data: {
        /** @description The name of this account for agents and for its user. */
        alias?: string;
        connectionId: string;
        /**
         * Format: date-time
         * @description When the provider ends the grant.
         */
        endsAt: string;
        /** @description Messages only contain the ID, not the name or email address. */
        endUser: components["schemas"]["EndUser"];
        integrationId: string;
        /** @description Your own names and values. */
        labels?: {
          [key: string]: string;
        };
        tenantId: string;
        /**
         * @description Present in test mode, which uses no real account and no platform.
         * @constant
         */
        testMode?: true;
      };
      /**
       * Format: date-time
       * @description When the event happened.
       */
      timestamp: string;
      /** @constant */
      type: "connection.grant_ends_soon";
    };
    /** @description The connection and its last checks. */
    ConnectionHealth: {
      /** @description Newest first, at most 50. */
      checks: components["schemas"]["HealthCheck"][];
      connection: components["schemas"]["Connection"];
    };
    /** @description Health checks were inconclusive for a day or three times in a row. The connection may still work. */
    ConnectionHealthUnknownEvent: {
      data: {
        /** @description The name of this account for agents and for its user. */
        alias?: string;
        cause: components["schemas"]["Cause"];
        connectionId: string;
        /** @description Messages only contain the ID, not the name or email address. */
        endUser: components["schemas"]["EndUser"];
        integrationId: string;
        /** @description Your own names and values. */
        labels?: {
          [key: string]: string;
        };
        /**
         * Format: date-time
         * @description The first inconclusive check.
         */
        since: string;
        tenantId: string;
        /**
         * @description Present in test mode, which uses no real account and no platform.
         * @constant
         */
        testMode?: true;
      };
      /**
       * Format: date-time
       * @description When the event happened.
       */
      timestamp: string;
      /** @constant */
      type: "connection.health_unknown";
    };
    /** @description Too many connections. */
    ConnectionLimitProblem: components["schemas"]["Problem"] & {
      /** @constant */
      code?: "connection_limit";
      /** @constant */
      status?: 409;
    };
    /** @description A page of the list. */
    ConnectionList: {
      data: components["schemas"]["Connection"][];
      /** @description Send it as `cursor` for the next page. Absent on the last page. */
      nextCursor?: string;
    };
    /** @description The grant no longer works. Ask the user to reconnect: see Create a re-link session. */
    ConnectionNeedsRelinkEvent: {
      data: {
        /** @description The name of this account for agents and for its user. */
        alias?: string;
        cause: components["schemas"]["Cause"];
        connectionId: string;
        /** @description Messages only contain the ID, not the name or email address. */
        endUser: components["schemas"]["EndUser"];
        integrationId: string;
        /** @description Your own names and values. */
        labels?: {
          [key: string]: string;
        };
        tenantId: string;
        /**
         * @description Present in test mode, which uses no real account and no platform.
         * @constant
         */
        testMode?: true;
      };
      /**
       * Format: date-time
       * @description When the event happened.
       */
      timestamp: string;
      /** @constant */
      type: "connection.needs_relink";
    };
    /** @description A connection has a new grant and works. */
    ConnectionRelinkedEvent: {
      data: {
        /** @description The name of this account for agents and for its user. */
        alias?: string;
        connectionId: string;
        connectSessionId: string;
        /** @description Messages only contain the ID, not the name or email address. */
        endUser: components["schemas"]["EndUser"];
        integrationId: string;
        /** @description Your own names and values. */
        labels?: {
          [key: string]: string;
        };
        linkId: string;
        /**
         * @description `relink`: the link replaced the grant of an existing connection.
         * @enum {string}
         */
        purpose: "link" | "relink";
        tenantId: string;
        /**
         * @description Present in test mode, which uses no real account and no platform.
         * @constant
         */
        testMode?: true;
      };
      /**
       * Format: date-time
       * @description When the event happened.
       */
      timestamp: string;
      /** @constant */
      type: "connection.relinked";
    };
    /** @description Whose account of which integration a function will act for. */
    ConnectionRequest: {
      /** @description The name of this account for agents and for its user, such as `work`. Unique among the connections of the user to the integration. At most 20 lowercase letters, digits and inner hyphens. */
      alias?: string;
      endUser: components["schemas"]["ConnectionUser"];
      /** @description Values that the integration needs before the user can sign in, such as `subdomain`. */
      inputs?: {
        [key: string]: string;
      };
      integrationId: string;
      /** @description Your own names and values, by which you can filter the list of connections. At most 20. A name has up to 40 letters, digits, dots, underscores and hyphens. A value has up to 200 characters, without commas. Do not put personal data in labels. */
      labels?: {
        [key: string]: string;
      };
      /** @description The scopes to request when the user links an account, as `scopes` of a connect session. Re-links request them again. */
      scopes?: string[];
      tenantId: string;
    };
    /**
     * @description `not_linked`: no account is linked yet. `needs_relink`: the grant no longer works, and the user must sign in again. `disconnected` is final.
     * @enum {string}
     */
    ConnectionStatus: "active" | "needs_relink" | "not_linked" | "disconnected";
    /** @description A disconnect or a rollback that was requested. */
    ConnectionTask: {
      /** @description How often this step has failed. */
      attempts: number;
      /** @description Why the task failed, or its last error. */
      cause?: components["schemas"]["Cause"];
      connectionId: string;
      /** Format: date-time */
      createdAt: string;
      id: string;
      /** @enum {string} */
      kind: "disconnect" | "rollback";
      /**
       * @description What happened to the grant at the provider. `not_kept`: no copy was stored to revoke. `not_offered`: the provider does not support revocation. `shared`: another connection depends on the same consent. `refused`: the provider rejected the revocation. `blocked`: this deployment does not call the provider’s address. `client_gone`: the OAuth client of the grant is no longer configured, and the provider accepts no other. Unless it is `revoked` or `shared`, the user can remove the access in their account at the provider.
       * @enum {string}
       */
      revocation?: "revoked" | "not_kept" | "not_offered" | "shared" | "refused" | "blocked" | "client_gone";
      /**
       * @description `pending` continues automatically.
       * @enum {string}
       */
      status: "pending" | "done" | "failed";
      /**
       * @description The current step. Absent after the end.
       * @enum {string}
       */
      step?: "revoke_grant" | "remove_function" | "remove_connection" | "test_grant" | "replace_grant" | "verify_function" | "clean_up" | "restore";
      /** Format: date-time */
      updatedAt: string;
    };
    /** @description The tools of a connection’s function. */
    ConnectionTools: {
      /** @description The names of the function’s tools. */
      tools: string[];
    };
    /** @description The vendor’s MCP server behind the connection has changed its tools. While the change is held, agents see the approved tools. Read the tool list and approve the change. */
    ConnectionToolsChangedEvent: {
      data: {
        /** @description The number of new tools. Only present while the change is held. */
        added?: number;
        /** @description The name of this account for agents and for its user. */
        alias?: string;
        /** @description The number of changed tools. Only present while the change is held. */
        changed?: number;
        connectionId: string;
        /** @description Messages only contain the ID, not the name or email address. */
        endUser: components["schemas"]["EndUser"];
        /** @description Whether the change waits for approval. If false, agents already see it. */
        held: boolean;
        integrationId: string;
        /** @description Your own names and values. */
        labels?: {
          [key: string]: string;
        };
        /** @description The number of removed tools. Only present while the change is held. */
        removed?: number;
        tenantId: string;
        /**
         * @description Present in test mode, which uses no real account and no platform.
         * @constant
         */
        testMode?: true;
      };
      /**
       * Format: date-time
       * @description When the event happened.
       */
      timestamp: string;
      /** @constant */
      type: "connection.tools_changed";
    };
    /** @description The new alias, the new labels, or both. `null` removes; an absent field stays. */
    ConnectionUpdate: {
      /** @description The new alias. `null` removes it. */
      alias?: string | null;
      /** @description Replaces all labels. `null` removes them. */
      labels?: {
        [key: string]: string;
      } | null;
      /** @description The reason. It is recorded in the audit log. */
      reason?: string;
    };
    /** @description The user whose account will be linked. */
    ConnectionUser: {
      /** @description Your ID for the user. */
      id: string;
    };
    /** @description A short-lived permission for one browser to link an integration to one tenant. */
    ConnectSession: {
      /** @description The name of this account for agents and for its user. */
      alias?: string;
      /** @description Why the user was not redirected to the app at the latest attempt, and whose move it is. Absent once there is a link, which has its own cause. */
      cause?: components["schemas"]["Cause"];
      /** @description The connection that a `relink` session re-links. */
      connectionId?: string;
      /** Format: date-time */
      createdAt: string;
      endUser: components["schemas"]["EndUser"];
      /** Format: date-time */
      expiresAt: string;
      id: string;
      /**
       * @description For `link` sessions: what to do if the account is already connected.
       * @enum {string}
       */
      ifConnected?: "add" | "relink" | "refuse";
      /** @description With `integrationIds`: the one that the user started. Absent until then. */
      integrationId?: string;
      /** @description The choices of the user. An empty list offers every integration that the tenant can use. */
      integrationIds?: string[];
      /** @description Your own names and values. */
      labels?: {
        [key: string]: string;
      };
      /** @description Present once the user has started. */
      linkId?: string;
      /** @description The language of the pages, if set. */
      locale?: string;
      /**
       * @description `relink`: a new grant for `connectionId`.
       * @enum {string}
       */
      purpose: "link" | "relink";
      /** @description If absent, the browser stays on a page of the deployment. */
      returnUrl?: string;
      /** @description The scopes that the session names. In a `relink` session, in addition to the usual ones. */
      scopes?: string[];
      /** @enum {string} */
      status: "open" | "started" | "expired" | "cancelled";
      tenantId: string;
      /**
       * @description Present in test mode, which uses no real account and no platform.
       * @constant
       */
      testMode?: true;
      /** @description The chosen outcome in test mode. */
      testOutcome?: components["schemas"]["TestOutcome"];
    };
    /** @description Who links which integration to which tenant, and where the browser goes afterwards. */
    ConnectSessionRequest: {
      /** @description The name of this account for agents and for its user, such as `work`. Unique among the connections of the user to the integration. At most 20 lowercase letters, digits and inner hyphens. */
      alias?: string;
      /** @description The SHA-256 of a random verifier, in base64url. Your server keeps the verifier in the user's session. */
      completionChallenge: string;
      endUser: components["schemas"]["ConnectSessionUser"];
      /**
       * @description What to do if the user has already connected the same account to this integration. `relink` (default) gives the new grant to the existing connection. `add` creates another connection. `refuse` fails the link with `already_connected`. Decided after consent, when the app reports the account. Another account is always added, and so is one that the app does not report. Before 0.4.0 the default was `add`.
       * @enum {string}
       */
      ifConnected?: "add" | "relink" | "refuse";
      /** @description Values that the integration needs before the user can sign in, such as `subdomain`, keyed by the names in the `inputs` of the integration. The connect page asks the user for missing values. */
      inputs?: {
        [key: string]: string;
      };
      /** @description The integration to connect. Required unless `integrationIds` is set. */
      integrationId?: string;
      /** @description Instead of `integrationId`: the user first picks one of these on a page of the deployment, which lists them in this order. An empty list offers every integration that the tenant can use. Cannot be combined with `inputs`. */
      integrationIds?: string[];
      /** @description Your own names and values, by which you can filter the list of connections. At most 20. A name has up to 40 letters, digits, dots, underscores and hyphens. A value has up to 200 characters, without commas. Do not put personal data in labels. */
      labels?: {
        [key: string]: string;
      };
      /** @description The language of the user's pages, as a BCP 47 tag. Defaults to the browser's language, also if there are no texts in this language. */
      locale?: string;
      /** @description The URL that the browser returns to. Must be exactly one of the tenant's return URLs. */
      returnUrl: string;
      /** @description The scopes to request, instead of those that the integration requests by default: some of them, optional ones, or both (`permissions` of the integration). Scopes that identify the account are always requested. Cannot be combined with `integrationIds`. */
      scopes?: string[];
      tenantId: string;
      /** @description Only in test mode. If absent, the user chooses on a page. */
      testOutcome?: components["schemas"]["TestOutcome"];
      /** @description How long the URL can be opened. */
      ttlSeconds?: number;
    };
    /** @description The user who links the account, as the connect page addresses them. */
    ConnectSessionUser: {
      displayName?: string;
      /** Format: email */
      email?: string;
      /** @description Your ID for the user. */
      id: string;
    };
    /** @description Unsupported content type. */
    ContentTypeUnsupportedProblem: components["schemas"]["Problem"] & {
      /** @constant */
      code?: "content_type_unsupported";
      /** @constant */
      status?: 415;
    };
    /** @description The campaign, with the URLs to send. */
    CreatedCampaign: {
      /** @description How many members have reached the app’s limit of grants per account. A new grant ends the oldest one, which another connection may use, or is refused. Absent if zero. */
      atGrantLimit?: number;
      /** Format: date-time */
      cancelledAt?: string;
      cause: components["schemas"]["Cause"];
      /** @description The number of connections by status. */
      counts: {
        cancelled: number;
        expired: number;
        failed: number;
        linked: number;
        open: number;
        started: number;
      };
      /** Format: date-time */
      createdAt: string;
      /** Format: date-time */
      expiresAt: string;
      id: string;
      integrationId?: string;
      members: components["schemas"]["CampaignMemberWithUrl"][];
      reason: string;
      /** @description Connections left out because a campaign has at most 5000 members. Start another campaign for them. */
      remaining: number;
      tenantId?: string;
    };
    /** @description The new connect session, with the URL for its user. */
    CreatedConnectSession: {
      /** @description The name of this account for agents and for its user. */
      alias?: string;
      /** @description Why the user was not redirected to the app at the latest attempt, and whose move it is. Absent once there is a link, which has its own cause. */
      cause?: components["schemas"]["Cause"];
      /** @description The connection that a `relink` session re-links. */
      connectionId?: string;
      /** Format: date-time */
      createdAt: string;
      endUser: components["schemas"]["EndUser"];
      /** Format: date-time */
      expiresAt: string;
      /** @description For re-links: present if the account may have reached the app’s limit of grants per client. The new grant then ends the oldest one, which another connection may use, or is refused. */
      grantLimit?: {
        /**
         * @description What the app does beyond the limit: end the oldest grant or refuse the new one.
         * @enum {string}
         */
        beyond: "oldest_ends" | "refused";
        /** @description The maximum that the app allows. */
        limit: number;
        /** @description How many live grants of this client the account may have now. */
        live: number;
      };
      id: string;
      /**
       * @description For `link` sessions: what to do if the account is already connected.
       * @enum {string}
       */
      ifConnected?: "add" | "relink" | "refuse";
      /** @description With `integrationIds`: the one that the user started. Absent until then. */
      integrationId?: string;
      /** @description The choices of the user. An empty list offers every integration that the tenant can use. */
      integrationIds?: string[];
      /** @description Your own names and values. */
      labels?: {
        [key: string]: string;
      };
      /** @description Present once the user has started. */
      linkId?: string;
      /** @description The language of the pages, if set. */
      locale?: string;
      /**
       * @description `relink`: a new grant for `connectionId`.
       * @enum {string}
       */
      purpose: "link" | "relink";
      /** @description If absent, the browser stays on a page of the deployment. */
      returnUrl?: string;
      /** @description The scopes that the session names. In a `relink` session, in addition to the usual ones. */
      scopes?: string[];
      /** @enum {string} */
      status: "open" | "started" | "expired" | "cancelled";
      tenantId: string;
      /**
       * @description Present in test mode, which uses no real account and no platform.
       * @constant
       */
      testMode?: true;
      /** @description The chosen outcome in test mode. */
      testOutcome?: components["schemas"]["TestOutcome"];
      /**
       * Format: uri
       * @description Redirect the end user's browser to this URL. It is a secret and returned only once.
       */
      url: string;
    };
    /** @description The new manage session, with the URL for its user. */
    CreatedManageSession: {
      /** Format: date-time */
      createdAt: string;
      endUser: components["schemas"]["EndUser"];
      /** Format: date-time */
      expiresAt: string;
      id: string;
      /** @description The language of the page, if set. */
      locale?: string;
      /** @description Where the page links back to. */
      returnUrl?: string;
      /**
       * @description `opened`: a browser has opened it, and no other browser can.
       * @enum {string}
       */
      status: "created" | "opened" | "expired" | "revoked";
      tenantId: string;
      /**
       * @description Present in test mode, which uses no real account and no platform.
       * @constant
       */
      testMode?: true;
      /**
       * Format: uri
       * @description Redirect the user’s browser to this URL immediately. It can be opened for five minutes and belongs to the first browser that opens it. It is a secret and returned only once: never send or store it.
       */
      url: string;
    };
    /** @description The new tenant, with the secret that signs its return URLs. */
    CreatedTenant: {
      /** @description Absent if not set. */
      branding?: {
        /** @description The color of buttons and links. It is darkened or lightened if needed for contrast on light and dark pages. */
        accentColor?: string;
        /** @description Your privacy policy. */
        privacyUrl?: string;
        /** @description Your help page. Must use https, like the other URLs. */
        supportUrl?: string;
        /** @description Your terms of use. */
        termsUrl?: string;
        /** @description Texts on the connect page by language (BCP 47). Each text is one line of plain text with at most 200 characters, without markup, URLs, symbols or invisible characters. They are shown as quotes of the tenant on pages in that language. */
        wording?: {
          [key: string]: {
            /** @description Where users can get help. Shown below the buttons. */
            help?: string;
            /** @description Why you ask for access. Shown below the list of permissions. */
            intro?: string;
          };
        };
      };
      /** Format: date-time */
      createdAt: string;
      displayName: string;
      id: string;
      /** @description Absent if the tenant has no logos. */
      logos?: {
        /** @description For dark pages. Only used if `light` is present. */
        dark?: components["schemas"]["Logo"];
        /** @description For light pages. Also used on dark pages if `dark` is absent. */
        light?: components["schemas"]["Logo"];
      };
      /** @description The max number of connections per end user and integration. 0: no limit. */
      maxConnectionsPerUser: number;
      returnUrls: string[];
      /** @description Verifies `sig` on return URLs. Shown only once. */
      signingSecret: string;
      /**
       * @description No session or link can be started for a `suspended` or `deleting` tenant. For the progress of a deletion, read the deletion.
       * @enum {string}
       */
      status: "active" | "suspended" | "deleting" | "deleted";
      /**
       * @description Present in test mode, which uses no real account and no platform.
       * @constant
       */
      testMode?: true;
      /** Format: date-time */
      updatedAt: string;
      workspace: string;
    };
    /** @description The new webhook endpoint, with its secret. */
    CreatedWebhook: {
      /** Format: date-time */
      createdAt: string;
      events: ("link.succeeded" | "link.failed" | "connection.relinked" | "connection.needs_relink" | "connection.health_unknown" | "connection.grant_ends_soon" | "connection.tools_changed" | "connection.approval_requested" | "connection.approval_decided" | "connection.disconnected" | "end_user.erased" | "tenant.deleted" | "audit.recorded")[];
      id: string;
      /**
       * Format: date-time
       * @description Present after a rotation. Until this time, messages are also signed with the previous secret.
       */
      previousSecretExpiresAt?: string;
      /** @description Verifies the signature of messages (Standard Webhooks). Shown only once. */
      secret: string;
      /**
       * @description `disabled`: by you, or because the endpoint answered 410.
       * @enum {string}
       */
      status: "active" | "disabled";
      tenantId: string;
      /** Format: date-time */
      updatedAt: string;
      url: string;
    };
    /** @description A new tenant. */
    CreateTenantRequest: {
      /** @description The appearance of the pages that end users see. Replaced as a whole if present, otherwise unchanged. */
      branding?: {
        /** @description The color of buttons and links. It is darkened or lightened if needed for contrast on light and dark pages. */
        accentColor?: string;
        /** @description Your privacy policy. */
        privacyUrl?: string;
        /** @description Your help page. Must use https, like the other URLs. */
        supportUrl?: string;
        /** @description Your terms of use. */
        termsUrl?: string;
        /** @description Texts on the connect page by language (BCP 47). Each text is one line of plain text with at most 200 characters, without markup, URLs, symbols or invisible characters. They are shown as quotes of the tenant on pages in that language. */
        wording?: {
          [key: string]: {
            /** @description Where users can get help. Shown below the buttons. */
            help?: string;
            /** @description Why you ask for access. Shown below the list of permissions. */
            intro?: string;
          };
        };
      };
      /** @description The name that end users see on every page. */
      displayName: string;
      /** @description Your ID for the tenant. Generated if absent. In test mode it begins with `test_`. */
      id?: string;
      /** @description The max number of connections per end user and integration, without disconnected ones. `null` or 0 (default): no limit. Lowering the limit keeps existing connections. */
      maxConnectionsPerUser?: number | null;
      /** @description URLs that browsers may return to. Compared exactly. */
      returnUrls: string[];
      /** @description The platform workspace that contains the tenant's connections and functions. Required, except in test mode, which does not use the platform. */
      workspace?: string;
    };
    /** @description Invalid API key. */
    CredentialInvalidProblem: components["schemas"]["Problem"] & {
      /** @constant */
      code?: "credential_invalid";
      /** @constant */
      status?: 401;
    };
    /** @description The tenant's user who owns the account. */
    EndUser: {
      displayName?: string;
      email?: string;
      /** @description The tenant's ID for the user. */
      id: string;
    };
    /** @description No data here names the user any more, including this message. For the receipt, read the erasure. */
    EndUserErasedEvent: {
      data: {
        /** @description The erasure ID returned by `POST /erasures`. */
        erasureId: string;
        tenantId: string;
        /**
         * @description Present in test mode, which uses no real account and no platform.
         * @constant
         */
        testMode?: true;
      };
      /**
       * Format: date-time
       * @description When the event happened.
       */
      timestamp: string;
      /** @constant */
      type: "end_user.erased";
    };
    /** @description The erasure of an end user, with its receipt. */
    Erasure: {
      /** @description What the erasure waits for, and who can resolve it. */
      cause?: components["schemas"]["Cause"];
      /** @description A keyed hash of the user ID: stable per user and tenant, and not reversible. */
      endUserHash: string;
      /** Format: date-time */
      finishedAt?: string;
      id: string;
      /** @description The endpoints that the erasure waits for. Present at step `notify`. */
      notifying?: {
        /**
         * Format: date-time
         * @description The erasure continues at this time at the latest.
         */
        until: string;
        /** @description Endpoints with undelivered events. `GET /tenants/{tenantId}/webhook-deliveries` returns the causes. */
        webhookIds: string[];
      };
      /** @description The result. Present when done. */
      receipt?: components["schemas"]["ErasureReceipt"];
      /** Format: date-time */
      requestedAt: string;
      /**
       * @description `pending` continues automatically.
       * @enum {string}
       */
      status: "pending" | "done";
      /**
       * @description The current step. Absent when done.
       * @enum {string}
       */
      step?: "end_links" | "disconnect" | "notify" | "erase";
      tenantId: string;
      /**
       * @description Present in test mode, which uses no real account and no platform.
       * @constant
       */
      testMode?: true;
    };
    /** @description A page of the list. */
    ErasureList: {
      data: components["schemas"]["Erasure"][];
      /** @description Send it as `cursor` for the next page. Absent on the last page. */
      nextCursor?: string;
    };
    /** @description The result of the erasure. It does not name the user. */
    ErasureReceipt: {
      /** @description All grants of the user. They are deleted here and on the platform. */
      grants: {
        /** @description The connection that had the grant. */
        connectionId?: string;
        integrationId: string;
        /** @description The link that got the grant, if it never became a connection. */
        linkId?: string;
        /**
         * @description What happened to the grant at the provider. `revoked`: it no longer works. `shared`: another connection depends on the same consent, which a revocation would end. `not_offered`: the provider does not support revocation. `not_kept`: no copy was stored to revoke. `refused`: the provider rejected the revocation. `blocked`: this deployment does not call the provider’s address. `client_gone`: the OAuth client of the grant is no longer configured, and the provider accepts no other. Unless it is `revoked`, the user can remove the access in their account at the provider.
         * @enum {string}
         */
        revocation: "revoked" | "not_kept" | "not_offered" | "shared" | "refused" | "blocked" | "client_gone";
      }[];
      /** @description How many records named the user. Manage sessions are deleted. Other records stay, with the ID of the erasure as `endUser.id` and without the user’s data. */
      removed: {
        /** @description Entries about these with a reason, an address of the user’s browser or the name of an account. */
        auditEntries: number;
        /** @description Connections of the user. */
        connections: number;
        /** @description Connect sessions of the user. */
        connectSessions: number;
        /** @description Events about the user. */
        events: number;
        /** @description Rows of imports with grants of the user. */
        importRows: number;
        /** @description Links of the user. */
        links: number;
        /** @description Manage sessions of the user. */
        manageSessions: number;
      };
    };
    /** @description The user to erase. */
    ErasureRequest: {
      endUser: components["schemas"]["ErasureUser"];
      /** @description The reason. It stays in the audit log, so it must not name the user: use a ticket number. */
      reason?: string;
      tenantId: string;
    };
    /** @description The user to erase, by ID only. */
    ErasureUser: {
      /** @description Your ID for the user, as in their connect sessions. */
      id: string;
    };
    /** @description An event of a tenant. */
    Event: {
      /** @description Send it as `cursor` to get the events after this one. */
      cursor: string;
      /** @description The `data` of the webhook message; its members depend on `type`. */
      data: {
        [key: string]: unknown;
      };
      /** @description The `webhook-id` header of the webhook message. */
      id: string;
      /**
       * Format: date-time
       * @description When the event happened.
       */
      timestamp: string;
      type: components["schemas"]["EventType"];
    };
    /** @description A page of the list. */
    EventList: {
      data: components["schemas"]["Event"][];
      /** @description Send it as `cursor` for the next page. Absent on the last page. */
      nextCursor?: string;
    };
    /** @description The event to trigger. */
    EventRequest: {
      type: components["schemas"]["EventType"];
    };
    /**
     * @description What happened.
     * @enum {string}
     */
    EventType: "link.succeeded" | "link.failed" | "connection.relinked" | "connection.needs_relink" | "connection.health_unknown" | "connection.grant_ends_soon" | "connection.tools_changed" | "connection.approval_requested" | "connection.approval_decided" | "connection.disconnected" | "end_user.erased" | "tenant.deleted" | "audit.recorded";
    /** @description One record of an export. */
    ExportRecord: {
      /** @description The `Tenant`, `OAuthClientDetails`, `Webhook`, `Connection`, `Link`, `Import`, `Erasure` or `AuditEntry`, in the same format as in the API. A link also has `outsideCalls`: its calls to the provider and the platform, with time, status or error code, and duration. Records contain no secrets. */
      data: {
        [key: string]: unknown;
      };
      type: components["schemas"]["ExportRecordType"];
    };
    /** @description A page of the list. */
    ExportRecordList: {
      data: components["schemas"]["ExportRecord"][];
      /** @description Send it as `cursor` for the next page. Absent on the last page. */
      nextCursor?: string;
    };
    /**
     * @description The type of the record.
     * @enum {string}
     */
    ExportRecordType: "tenant" | "oauth_client" | "webhook" | "connection" | "link" | "import" | "erasure" | "audit_entry";
    /** @description The access granted to an MCP client. */
    FunctionGrant: {
      /** @description The account that granted access. */
      account: string;
      /** @description The app, with its self-declared name. */
      app: {
        name: string;
        /** @description The host, or the scheme of a native app, that receives its authorization codes. */
        redirectsTo: string;
      };
      /** Format: date-time */
      createdAt: string;
      id: string;
      /** @description `tools:read`: read-only tools. `tools:write`: all tools. */
      scopes: string[];
    };
    /** @description A page of the list. */
    FunctionGrantList: {
      data: components["schemas"]["FunctionGrant"][];
      /** @description Send it as `cursor` for the next page. Absent on the last page. */
      nextCursor?: string;
    };
    /** @description A one-time login with which the end user opens the function in their own MCP client. */
    FunctionLogin: {
      /** Format: date-time */
      expiresAt: string;
      /**
       * Format: uri
       * @description The URL that the end user adds to their MCP client.
       */
      mcpUrl: string;
      /**
       * Format: uri
       * @description For the browser of the connection’s end user, whom you have authenticated. It works once and signs in the person who opens it: redirect to it, and never send or store it.
       */
      url: string;
    };
    /** @description The lifetime of the login. */
    FunctionLoginRequest: {
      /** @description How long the URL can be opened. Defaults to ten minutes. */
      ttlSeconds?: number;
    };
    /** @description The result of one check of a connection. */
    HealthCheck: {
      cause?: components["schemas"]["Cause"];
      /** Format: date-time */
      checkedAt: string;
      durationMs: number;
      /**
       * @description `unclear`: something else failed, so the check says nothing about the grant. `untested`: the function responds, but the integration profile names no tool to test the grant with.
       * @enum {string}
       */
      outcome: "healthy" | "broken" | "unclear" | "untested";
    };
    /** @description Idempotency key in use. */
    IdempotencyKeyBusyProblem: components["schemas"]["Problem"] & {
      /** @constant */
      code?: "idempotency_key_busy";
      /** @constant */
      status?: 409;
    };
    /** @description Idempotency key reused. */
    IdempotencyKeyReusedProblem: components["schemas"]["Problem"] & {
      /** @constant */
      code?: "idempotency_key_reused";
      /** @constant */
      status?: 422;
    };
    /** @description Existing grants of a tenant, added in rows. */
    Import: {
      /**
       * Format: date-time
       * @description No rows were started after this time.
       */
      cancelledAt?: string;
      /** Format: date-time */
      createdAt: string;
      id: string;
      /** @description Your name for the import. */
      name?: string;
      tenantId: string;
    };
    /** @description The import was cancelled. */
    ImportCancelledProblem: components["schemas"]["Problem"] & {
      /** @constant */
      code?: "import_cancelled";
      /** @constant */
      status?: 409;
    };
    /** @description A page of the list. */
    ImportList: {
      data: components["schemas"]["Import"][];
      /** @description Send it as `cursor` for the next page. Absent on the last page. */
      nextCursor?: string;
    };
    /** @description An import and its progress. */
    ImportProgress: {
      /**
       * Format: date-time
       * @description No rows were started after this time.
       */
      cancelledAt?: string;
      /** @description The number of rows by status. */
      counts: {
        cancelled: number;
        failed: number;
        invalid: number;
        linked: number;
        needs_attention: number;
        pending: number;
        waiting: number;
      };
      /** Format: date-time */
      createdAt: string;
      id: string;
      /** @description Your name for the import. */
      name?: string;
      /** @description Why rows did not become connections. Most frequent reason first. */
      reasons: {
        /** @description A cause code or a row problem code. */
        code: string;
        /** @description How many rows failed, need attention or are invalid for this reason. */
        rows: number;
        title: string;
        whoseMove: components["schemas"]["WhoseMove"];
      }[];
      /**
       * @description `empty`: no rows were added yet. `pending` continues automatically. `paused`: too many rows need attention, so the others wait for support. `done`: all rows are processed; more can be added.
       * @enum {string}
       */
      status: "empty" | "pending" | "paused" | "done" | "cancelled";
      tenantId: string;
    };
    /** @description The tenant whose grants are imported. */
    ImportRequest: {
      /** @description Your name for the import. */
      name?: string;
      tenantId: string;
    };
    /** @description The state of a row. */
    ImportRow: {
      /** @description As sent. */
      accountId?: string;
      /** @description Why the row failed, needs attention, or is being retried. */
      cause?: components["schemas"]["Cause"];
      /** @description Present when `linked`. */
      connectionId?: string;
      endUser: components["schemas"]["EndUser"];
      /** @description As sent. Empty if it is invalid. */
      integrationId: string;
      /** @description As sent. */
      key: string;
      /** @description The link of the row. Present once the row was started. */
      linkId?: string;
      /** @description Present when `invalid`. */
      problem?: {
        advice: string;
        code: components["schemas"]["ImportRowProblemCode"];
        /** @description The invalid members of the row. Present with `members_invalid`. */
        errors?: {
          detail: string;
          /** @description JSON pointer into the row. */
          pointer: string;
        }[];
        title: string;
        whoseMove: components["schemas"]["WhoseMove"];
      };
      status: components["schemas"]["ImportRowStatus"];
    };
    /** @description A page of the list. */
    ImportRowList: {
      data: components["schemas"]["ImportRow"][];
      /** @description Send it as `cursor` for the next page. Absent on the last page. */
      nextCursor?: string;
    };
    /**
     * @description What is wrong with a row.
     * @enum {string}
     */
    ImportRowProblemCode: "members_invalid" | "integration_unknown" | "grant_unsupported" | "token_malformed" | "inputs_invalid" | "token_repeated" | "key_reused";
    /** @description One grant of one user. */
    ImportRowRequest: {
      /** @description The ID of the account at the third party, if you know it. If the app reports a different account, the row fails and nothing is set up. */
      accountId?: string;
      /** @description The name of this account for agents and for its user, such as `work`. Unique among the connections of the user to the integration. At most 20 lowercase letters, digits and inner hyphens. */
      alias?: string;
      /** @description The owner of the grant. */
      endUser: {
        displayName?: string;
        /** Format: email */
        email?: string;
        /** @description Your ID for the user. */
        id: string;
      };
      /** @description Values that the integration asks its users for, such as a subdomain, and values that the app sends with a callback, keyed by the names of the integration. */
      inputs?: {
        [key: string]: string;
      };
      integrationId: string;
      /** @description Your key for this row, such as the ID of your record. Keys are idempotent within an import: sending a row again is a no-op. The key appears in the report, so do not use a person’s name or email address. */
      key: string;
      /** @description Your own names and values, by which you can filter the list of connections. At most 20. A name has up to 40 letters, digits, dots, underscores and hyphens. A value has up to 200 characters, without commas. Do not put personal data in labels. */
      labels?: {
        [key: string]: string;
      };
      /** @description The newest refresh token you have. It is encrypted immediately and never returned. */
      refreshToken: string;
      /** @description The granted scopes, if you know them and the app may not report them. If neither is known, all requested scopes count as granted. */
      scopes?: string[];
    };
    /** @description The state of the rows. */
    ImportRows: {
      /** @description One per row, in the order of the request. */
      rows: components["schemas"]["ImportRow"][];
    };
    /** @description Up to 500 rows, and 1 MB. */
    ImportRowsRequest: {
      /** @description Validates the rows without storing them. Refresh tokens are not tested. */
      dryRun?: boolean;
      /** @description Each row needs a unique key. Invalid rows are rejected individually. */
      rows: components["schemas"]["ImportRowRequest"][];
    };
    /**
     * @description `waiting` and `pending` continue automatically. `linked`: the connection works. `failed` is final. `needs_attention` waits for the deployment’s support team. `invalid` was rejected: correct it and send it again. `cancelled` was not started.
     * @enum {string}
     */
    ImportRowStatus: "waiting" | "pending" | "linked" | "failed" | "needs_attention" | "invalid" | "cancelled";
    /** @description Invalid input. */
    InputInvalidProblem: components["schemas"]["Problem"] & {
      /** @constant */
      code?: "input_invalid";
      /** @constant */
      status?: 422;
    };
    /** @description A third-party app that can be linked. */
    Integration: {
      /**
       * Format: date
       * @description The date when the data was last checked.
       */
      asOf?: string;
      /** @description Whether a link can be started: an OAuth client is configured or can be registered. */
      available: boolean;
      /**
       * @description Absent if the deployment defines the integration.
       * @enum {string}
       */
      category?: "accounting" | "analytics" | "calendar" | "commerce" | "communication" | "crm" | "design" | "developer-tools" | "documents" | "education" | "files" | "finance" | "forms" | "health" | "hr" | "identity" | "mail" | "marketing" | "media" | "payments" | "productivity" | "project-management" | "sales" | "social" | "support" | "travel" | "other";
      description: string;
      displayName: string;
      id: string;
      /** @description Values that are required before the user can sign in, such as a subdomain. Send them as `inputs` of a connect session; otherwise the connect page asks the user, unless there is a default. */
      inputs?: {
        /** @description Used unless you send another value. The user is not asked. */
        default?: string;
        /** @description A hint that helps the user find the value. */
        help?: string;
        label: string;
        name: string;
        /** @description A regular expression that must match the whole value. */
        pattern: string;
      }[];
      /**
       * @description `mcp`: the vendor's own MCP server, which functions forward to. `api`: tools at its API.
       * @enum {string}
       */
      kind: "api" | "mcp";
      permissions: {
        description: string;
        /**
         * @description Requested only if a session names it in `scopes`. The user may decline it.
         * @constant
         */
        onRequest?: true;
        scope: string;
      }[];
      /**
       * @description `verified`: checked against the vendor's documentation within a year. `corroborated`: two independent sources agree. `listed`: one source; links are only possible after the operator adds it to the integrations file.
       * @enum {string}
       */
      tier?: "verified" | "corroborated" | "listed" | "discovered";
    };
    /** @description A page of the list. */
    IntegrationList: {
      data: components["schemas"]["Integration"][];
      /** @description Send it as `cursor` for the next page. Absent on the last page. */
      nextCursor?: string;
    };
    /** @description The settings of an integration, without secrets. */
    IntegrationSettings: {
      /**
       * Format: date-time
       * @description When this version was saved.
       */
      changedAt?: string;
      /** @description The actor, as in the audit log. */
      changedBy?: {
        id?: string;
        kind: string;
        name?: string;
      };
      /** @description Whether a client secret is stored. */
      hasClientSecret?: boolean;
      integrationId: string;
      reason?: string;
      /** @description The earlier version that this one repeats. */
      restoredVersion?: number;
      /** @description Without `clientSecret`. Absent if the settings were removed. */
      settings?: {
        [key: string]: unknown;
      };
      /**
       * @description Which entry applies. `api`: these settings. `file`: that of the integrations file. `catalogue`: the shipped profile, without a client.
       * @enum {string}
       */
      source: "api" | "file" | "catalogue";
      /** @description 0 if the settings were never changed by API. */
      version: number;
    };
    /** @description New settings of an integration. They replace the current ones as a whole. */
    IntegrationSettingsRequest: {
      /** @description Saves although existing connections are affected. The problem `settings_break_connections` says how. */
      breakConnections?: boolean;
      /** @description The version that you read; 0 if there was none. Another one is answered with 409. */
      ifVersion?: number;
      /** @description The reason. It is recorded in the audit log. */
      reason?: string;
      /** @description An entry as in the integrations file: `profile` and overrides, or a whole profile, with `clientId` and `clientSecret`. A `clientSecret` that is not sent stays if `clientId` is the same; `null` removes it. It is never returned. */
      settings: {
        [key: string]: unknown;
      };
    };
    /** @description A version of the settings of an integration, without secrets. It never changes. */
    IntegrationSettingsVersion: {
      /**
       * Format: date-time
       * @description When this version was saved.
       */
      changedAt: string;
      /** @description The actor, as in the audit log. */
      changedBy: {
        id?: string;
        kind: string;
        name?: string;
      };
      /** @description Members that differ from the version before. */
      changedMembers: string[];
      /** @description Whether a client secret is stored. */
      hasClientSecret: boolean;
      reason?: string;
      /** @description The earlier version that this one repeats. */
      restoredVersion?: number;
      /** @description Without `clientSecret`. Absent if the settings were removed. */
      settings?: {
        [key: string]: unknown;
      };
      /** @description Counts all changes of the deployment. */
      version: number;
    };
    /** @description A page of the list. */
    IntegrationSettingsVersionList: {
      data: components["schemas"]["IntegrationSettingsVersion"][];
      /** @description Send it as `cursor` for the next page. Absent on the last page. */
      nextCursor?: string;
    };
    /** @description Integration unavailable. */
    IntegrationUnavailableProblem: components["schemas"]["Problem"] & {
      /** @constant */
      code?: "integration_unavailable";
      /** @constant */
      status?: 409;
    };
    /** @description Key limited to one tenant. */
    KeyLimitedProblem: components["schemas"]["Problem"] & {
      /** @constant */
      code?: "key_limited";
      /** @constant */
      status?: 403;
    };
    /** @description Key for another purpose. */
    KeyPurposeProblem: components["schemas"]["Problem"] & {
      /** @constant */
      code?: "key_purpose";
      /** @constant */
      status?: 403;
    };
    /** @description One attempt to obtain a grant and set up its function, from consent to verification. */
    Link: {
      /** @description How often `step` has failed. `cause` is the last error. */
      attempts: number;
      cause?: components["schemas"]["Cause"];
      /** @description The cause in words for the end user, in the `locale` of the connect session or in English. */
      causeForUser?: components["schemas"]["UserWords"];
      /** @description Present when `linked`. */
      connection?: {
        functionName: string;
        /** @description Append `/mcp` for the URL of the MCP server. */
        functionUrl: string;
        id: string;
        /** @description Its name on the platform. */
        name: string;
        upstreamAccount?: components["schemas"]["UpstreamAccount"];
        workspace: string;
      };
      /** @description The connection being re-linked or, once `linked`, the connection that was created. */
      connectionId?: string;
      connectSessionId: string;
      /**
       * Format: uri
       * @description Present when the user must consent again. Redirect the same browser to it.
       */
      continueUrl?: string;
      /** Format: date-time */
      createdAt: string;
      endUser: components["schemas"]["EndUser"];
      id: string;
      /** @description The import that the grant came from. */
      importId?: string;
      integrationId: string;
      /** @description Permissions the user did not grant. */
      missingScopes?: string[];
      /**
       * Format: date-time
       * @description When the step is retried. Absent during an attempt and after the link has ended.
       */
      nextAttemptAt?: string;
      /** @description Every step, in order. */
      progress: {
        /** @enum {string} */
        status: "done" | "current" | "waiting" | "failed";
        step: components["schemas"]["LinkStep"];
      }[];
      /**
       * @description `relink`: a new grant for an existing connection.
       * @enum {string}
       */
      purpose: "link" | "relink";
      status: components["schemas"]["LinkStatus"];
      /** @description The current step. For an ended link, the last step reached. */
      step: components["schemas"]["LinkStep"];
      tenantId: string;
      /**
       * @description Present in test mode, which uses no real account and no platform.
       * @constant
       */
      testMode?: true;
      /** Format: date-time */
      updatedAt: string;
      /**
       * @description Present while a `pending` link waits for an action. `consent`: the user is at the provider, or on the way there. `completion`: the user has consented, and your server must complete the connect session within about two minutes.
       * @enum {string}
       */
      waitingFor?: "consent" | "completion";
    };
    /** @description A link ended `failed`, `denied`, `cancelled` or `abandoned`. */
    LinkFailedEvent: {
      data: {
        cause: components["schemas"]["Cause"];
        /** @description The connection that was re-linked, for purpose `relink`. */
        connectionId?: string;
        connectSessionId: string;
        /** @description Messages only contain the ID, not the name or email address. */
        endUser: components["schemas"]["EndUser"];
        integrationId: string;
        linkId: string;
        /**
         * @description `relink`: the link replaced the grant of an existing connection.
         * @enum {string}
         */
        purpose: "link" | "relink";
        tenantId: string;
        /**
         * @description Present in test mode, which uses no real account and no platform.
         * @constant
         */
        testMode?: true;
      };
      /**
       * Format: date-time
       * @description When the event happened.
       */
      timestamp: string;
      /** @constant */
      type: "link.failed";
    };
    /** @description A page of the list. */
    LinkList: {
      data: components["schemas"]["Link"][];
      /** @description Send it as `cursor` for the next page. Absent on the last page. */
      nextCursor?: string;
    };
    /** @description Link cannot be resumed. */
    LinkNotResumableProblem: components["schemas"]["Problem"] & {
      /** @constant */
      code?: "link_not_resumable";
      /** @constant */
      status?: 409;
    };
    /** @description The result of a resumption. */
    LinkResumption: {
      /** @description More links need attention for this cause. */
      hasMore: boolean;
      /** @description How many links were resumed. */
      resumed: number;
      /** @description Links that were already resumed, or whose connection has been linked again since. */
      skipped: number;
    };
    /** @description Which links to resume, and why. */
    LinkResumptionRequest: {
      causeCode: components["schemas"]["CauseCode"];
      /** @description The reason. It is recorded in the audit log. */
      reason: string;
      tenantId?: string;
    };
    /**
     * @description `pending` continues automatically, unless the link has `waitingFor`. `needs_attention` waits for the deployment’s support team. All other statuses are final.
     * @enum {string}
     */
    LinkStatus: "pending" | "linked" | "cancelled" | "denied" | "abandoned" | "failed" | "needs_attention";
    /**
     * @description A step of a link.
     * @enum {string}
     */
    LinkStep: "consent" | "exchange" | "connection" | "function" | "verification";
    /** @description An account was linked, and its function works. */
    LinkSucceededEvent: {
      data: {
        /** @description The name of this account for agents and for its user. */
        alias?: string;
        connectionId: string;
        connectSessionId: string;
        /** @description Messages only contain the ID, not the name or email address. */
        endUser: components["schemas"]["EndUser"];
        integrationId: string;
        /** @description Your own names and values. */
        labels?: {
          [key: string]: string;
        };
        linkId: string;
        /**
         * @description `relink`: the link replaced the grant of an existing connection.
         * @enum {string}
         */
        purpose: "link" | "relink";
        tenantId: string;
        /**
         * @description Present in test mode, which uses no real account and no platform.
         * @constant
         */
        testMode?: true;
      };
      /**
       * Format: date-time
       * @description When the event happened.
       */
      timestamp: string;
      /** @constant */
      type: "link.succeeded";
    };
    /** @description A tool of a vendor’s own MCP server. */
    ListedTool: {
      /** @description The full definition, as agents receive it over MCP. */
      definition: {
        [key: string]: unknown;
      };
      /** @description The server’s description. */
      description?: string;
      name: string;
      /** @description Whether the server declares the tool read-only. */
      readOnly: boolean;
    };
    /** @description The picture made from the uploaded image. */
    Logo: {
      /** @description The same. */
      height: number;
      /** @description Whether the picture is readable on dark pages. If `false` and there is no logo for dark pages, the picture stands on a white tile there: upload one. Absent for logos from before 0.4.0. */
      readableOnDark?: boolean;
      /** @description The path of the picture, relative to the deployment's URL. The picture at a path never changes. */
      url: string;
      /** @description The displayed width in CSS pixels. The picture has up to twice as many pixels. */
      width: number;
    };
    /** @description An image. Only its pixels are stored. */
    LogoRequest: {
      /** @description The base64-encoded file: PNG, JPEG or WebP with at most 512 kB, at most 4 million pixels, at least 20 pixels per side, and an aspect ratio of at most 8:1. SVG is not accepted. */
      image: string;
    };
    /** @description A page on which a user manages their connections, for a few minutes in one browser. */
    ManageSession: {
      /** Format: date-time */
      createdAt: string;
      endUser: components["schemas"]["EndUser"];
      /** Format: date-time */
      expiresAt: string;
      id: string;
      /** @description The language of the page, if set. */
      locale?: string;
      /** @description Where the page links back to. */
      returnUrl?: string;
      /**
       * @description `opened`: a browser has opened it, and no other browser can.
       * @enum {string}
       */
      status: "created" | "opened" | "expired" | "revoked";
      tenantId: string;
      /**
       * @description Present in test mode, which uses no real account and no platform.
       * @constant
       */
      testMode?: true;
    };
    /** @description The user, and where they return to. */
    ManageSessionRequest: {
      endUser: components["schemas"]["ManageSessionUser"];
      /** @description The language of the user's pages, as a BCP 47 tag. Defaults to the browser's language, also if there are no texts in this language. */
      locale?: string;
      /** @description Where the page links back to. Must exactly match a return URL of the tenant. */
      returnUrl?: string;
      tenantId: string;
      /** @description How long the page can be used. Defaults to 30 minutes. */
      ttlSeconds?: number;
    };
    /** @description The user whose connections the page shows. */
    ManageSessionUser: {
      displayName?: string;
      /** Format: email */
      email?: string;
      /** @description Your ID for the user, as in their connect sessions. */
      id: string;
    };
    /** @description Not found. */
    NotFoundProblem: components["schemas"]["Problem"] & {
      /** @constant */
      code?: "not_found";
      /** @constant */
      status?: 404;
    };
    /** @description Not available in test mode. */
    NotInTestModeProblem: components["schemas"]["Problem"] & {
      /** @constant */
      code?: "not_in_test_mode";
      /** @constant */
      status?: 409;
    };
    /** @description An OAuth client of a tenant, without its secret. */
    OAuthClient: {
      clientId: string;
      integrationId: string;
    };
    /** @description An OAuth client of a tenant, without its secret. */
    OAuthClientDetails: {
      clientId: string;
      /** Format: date-time */
      createdAt: string;
      integrationId: string;
      /**
       * @description How the client authenticates. Absent if the integration is no longer offered.
       * @enum {string}
       */
      method?: "client_secret_post" | "client_secret_basic" | "none";
      /** Format: date-time */
      updatedAt: string;
    };
    /** @description A page of the list. */
    OAuthClientDetailsList: {
      data: components["schemas"]["OAuthClientDetails"][];
      /** @description Send it as `cursor` for the next page. Absent on the last page. */
      nextCursor?: string;
    };
    /** @description An OAuth client that the tenant has registered at the provider. */
    OAuthClientRequest: {
      clientId: string;
      /** @description Absent for a public client. Stored encrypted and never returned. */
      clientSecret?: string;
    };
    /** @description The reason for the request, if known. */
    OptionalReasonRequest: {
      /** @description The reason. It is recorded in the audit log. */
      reason?: string;
    };
    /** @description Platform unavailable. */
    PlatformUnavailableProblem: components["schemas"]["Problem"] & {
      /** @constant */
      code?: "platform_unavailable";
      /** @constant */
      status?: 502;
    };
    /** @description Why a request was rejected (RFC 9457). */
    Problem: {
      code: components["schemas"]["ProblemCode"];
      /** @description What is wrong with this request, in words for people. */
      detail: string;
      /**
       * Format: uri
       * @description The page that explains this problem.
       */
      docs: string;
      /** @description The invalid parts of the request. */
      errors?: {
        /** @description What is expected, in words for people. */
        detail: string;
        /** @description The name of the invalid header. Absent if the error is elsewhere. */
        header?: string;
        /** @description The name of the invalid query or path parameter. Absent if the error is elsewhere. */
        parameter?: string;
        /** @description A JSON pointer to the field of the body. For a parameter or a header: `/` and its name. */
        pointer: string;
      }[];
      /** @description The ID of the request. Give it to support. */
      instance: string;
      /** @description The HTTP status. */
      status: number;
      title: string;
      /** @description The URL of the page that explains the problem, relative to the deployment's URL. */
      type: string;
      whoseMove: components["schemas"]["WhoseMove"];
    };
    /**
     * @description The code of the problem, for programs.
     * @enum {string}
     */
    ProblemCode: "input_invalid" | "body_unreadable" | "body_too_large" | "content_type_unsupported" | "method_not_allowed" | "not_found" | "credential_invalid" | "key_limited" | "key_purpose" | "idempotency_key_reused" | "idempotency_key_busy" | "rate_limited" | "not_in_test_mode" | "test_mode_only" | "store_unavailable" | "unexpected" | "origin_foreign" | "form_repeated" | "console_off" | "sign_in_needed" | "sign_in_failed" | "sign_in_unavailable" | "sign_in_stale" | "sign_in_time_unknown" | "role_missing" | "session_started" | "integration_unavailable" | "connect_ended" | "callback_malformed" | "callback_unknown" | "callback_foreign" | "completion_early" | "completion_refused" | "completion_used" | "completion_late" | "provider_unavailable" | "provider_unusable" | "backlog_full" | "connection_limit" | "alias_taken" | "link_not_resumable" | "link_not_endable" | "workspace_taken" | "workspace_unknown" | "tenant_exists" | "tenant_suspended" | "tenant_deleted" | "settings_changed" | "settings_break_connections" | "settings_absent" | "connection_busy" | "connection_disconnected" | "connection_not_linked" | "tool_list_outdated" | "rollback_impossible" | "campaign_empty" | "import_cancelled" | "platform_unavailable" | "relay_refused" | "access_tokens_refused" | "approval_required" | "account_unusable" | "app_unavailable" | "webhook_limit" | "webhook_secret_limit" | "webhook_disabled";
    /** @description Too many requests. */
    RateLimitedProblem: components["schemas"]["Problem"] & {
      /** @constant */
      code?: "rate_limited";
      /** @constant */
      status?: 429;
    };
    /** @description The reason for the request. */
    ReasonRequest: {
      /** @description The reason. It is recorded in the audit log. */
      reason: string;
    };
    /** @description Why the connection is re-linked, and where the user returns to. */
    RelinkSessionRequest: {
      /** @description Allows a different account than before. Requires a deployment key. */
      allowOtherAccount?: boolean;
      /** @description Required, with `returnUrl`, if the account is unknown or a different account is allowed. */
      completionChallenge?: string;
      /** @description The language of the user's pages, as a BCP 47 tag. Defaults to the browser's language, also if there are no texts in this language. */
      locale?: string;
      /** @description The reason. It is recorded in the audit log. */
      reason: string;
      /** @description A return URL of the tenant. If absent, the user stays on a page of the deployment. */
      returnUrl?: string;
      /** @description Scopes to request in addition to those that the connection requests or has, such as its `missingScopes`. A re-link never gives up a granted scope. */
      scopes?: string[];
      /** @description Only in test mode. If absent, the user chooses on a page. */
      testOutcome?: components["schemas"]["TestOutcome"];
      /** @description How long the URL can be opened. Defaults to one day. */
      ttlSeconds?: number;
    };
    /** @description Rollback impossible. */
    RollbackImpossibleProblem: components["schemas"]["Problem"] & {
      /** @constant */
      code?: "rollback_impossible";
      /** @constant */
      status?: 409;
    };
    /** @description The new signing secret and when it becomes active. */
    RotatedSigningSecret: {
      /**
       * Format: date-time
       * @description From this time on, results are signed with `secret`.
       */
      activeFrom: string;
      /**
       * Format: date-time
       * @description Accept signatures of both secrets until this time: results are sent through browsers.
       */
      previousSecretExpiresAt: string;
      /** @description Verifies `sig` on return URLs. Shown only once. */
      secret: string;
    };
    /** @description Session already started. */
    SessionStartedProblem: components["schemas"]["Problem"] & {
      /** @constant */
      code?: "session_started";
      /** @constant */
      status?: 409;
    };
    /** @description No settings to remove. */
    SettingsAbsentProblem: components["schemas"]["Problem"] & {
      /** @constant */
      code?: "settings_absent";
      /** @constant */
      status?: 409;
    };
    /** @description The change breaks connections. */
    SettingsBreakConnectionsProblem: components["schemas"]["Problem"] & {
      /** @constant */
      code?: "settings_break_connections";
      /** @constant */
      status?: 409;
    };
    /** @description Settings have changed. */
    SettingsChangedProblem: components["schemas"]["Problem"] & {
      /** @constant */
      code?: "settings_changed";
      /** @constant */
      status?: 409;
    };
    /** @description Which version to repeat as a new one. */
    SettingsRollbackRequest: {
      /** @description Saves although existing connections are affected. The problem `settings_break_connections` says how. */
      breakConnections?: boolean;
      /** @description The version that you read; 0 if there was none. Another one is answered with 409. */
      ifVersion?: number;
      /** @description The reason. It is recorded in the audit log. */
      reason?: string;
      /** @description The version to repeat. */
      version: number;
    };
    /** @description When the new secret becomes active. */
    SigningSecretRotationRequest: {
      /**
       * @description How long the current secret keeps signing. Use 0 if the secret has leaked.
       * @default 86400
       */
      afterSeconds?: number;
    };
    /** @description Temporarily unavailable. */
    StoreUnavailableProblem: components["schemas"]["Problem"] & {
      /** @constant */
      code?: "store_unavailable";
      /** @constant */
      status?: 503;
    };
    /** @description A customer of the deployment. */
    Tenant: {
      /** @description Absent if not set. */
      branding?: {
        /** @description The color of buttons and links. It is darkened or lightened if needed for contrast on light and dark pages. */
        accentColor?: string;
        /** @description Your privacy policy. */
        privacyUrl?: string;
        /** @description Your help page. Must use https, like the other URLs. */
        supportUrl?: string;
        /** @description Your terms of use. */
        termsUrl?: string;
        /** @description Texts on the connect page by language (BCP 47). Each text is one line of plain text with at most 200 characters, without markup, URLs, symbols or invisible characters. They are shown as quotes of the tenant on pages in that language. */
        wording?: {
          [key: string]: {
            /** @description Where users can get help. Shown below the buttons. */
            help?: string;
            /** @description Why you ask for access. Shown below the list of permissions. */
            intro?: string;
          };
        };
      };
      /** Format: date-time */
      createdAt: string;
      displayName: string;
      id: string;
      /** @description Absent if the tenant has no logos. */
      logos?: {
        /** @description For dark pages. Only used if `light` is present. */
        dark?: components["schemas"]["Logo"];
        /** @description For light pages. Also used on dark pages if `dark` is absent. */
        light?: components["schemas"]["Logo"];
      };
      /** @description The max number of connections per end user and integration. 0: no limit. */
      maxConnectionsPerUser: number;
      returnUrls: string[];
      /**
       * @description No session or link can be started for a `suspended` or `deleting` tenant. For the progress of a deletion, read the deletion.
       * @enum {string}
       */
      status: "active" | "suspended" | "deleting" | "deleted";
      /**
       * @description Present in test mode, which uses no real account and no platform.
       * @constant
       */
      testMode?: true;
      /** Format: date-time */
      updatedAt: string;
      workspace: string;
    };
    /** @description The tenant and all of its data were deleted. This is the last event that its endpoints receive. */
    TenantDeletedEvent: {
      data: {
        tenantId: string;
        /**
         * @description Present in test mode, which uses no real account and no platform.
         * @constant
         */
        testMode?: true;
      };
      /**
       * Format: date-time
       * @description When the event happened.
       */
      timestamp: string;
      /** @constant */
      type: "tenant.deleted";
    };
    /** @description Tenant deleted. */
    TenantDeletedProblem: components["schemas"]["Problem"] & {
      /** @constant */
      code?: "tenant_deleted";
      /** @constant */
      status?: 409;
    };
    /** @description The progress of a tenant deletion. */
    TenantDeletion: {
      /** @description How many connections are not yet disconnected. */
      connectionsLeft: number;
      /** Format: date-time */
      startedAt: string;
      /**
       * @description `pending` continues automatically.
       * @enum {string}
       */
      status: "pending" | "done";
      /**
       * @description The current step. Absent when done.
       * @enum {string}
       */
      step?: "end_links" | "disconnect" | "notify" | "erase";
      tenantId: string;
      /** Format: date-time */
      updatedAt: string;
    };
    /** @description Tenant exists. */
    TenantExistsProblem: components["schemas"]["Problem"] & {
      /** @constant */
      code?: "tenant_exists";
      /** @constant */
      status?: 409;
    };
    /** @description A page of the list. */
    TenantList: {
      data: components["schemas"]["Tenant"][];
      /** @description Send it as `cursor` for the next page. Absent on the last page. */
      nextCursor?: string;
    };
    /** @description The tenant's settings. */
    TenantRequest: {
      /** @description The appearance of the pages that end users see. Replaced as a whole if present, otherwise unchanged. */
      branding?: {
        /** @description The color of buttons and links. It is darkened or lightened if needed for contrast on light and dark pages. */
        accentColor?: string;
        /** @description Your privacy policy. */
        privacyUrl?: string;
        /** @description Your help page. Must use https, like the other URLs. */
        supportUrl?: string;
        /** @description Your terms of use. */
        termsUrl?: string;
        /** @description Texts on the connect page by language (BCP 47). Each text is one line of plain text with at most 200 characters, without markup, URLs, symbols or invisible characters. They are shown as quotes of the tenant on pages in that language. */
        wording?: {
          [key: string]: {
            /** @description Where users can get help. Shown below the buttons. */
            help?: string;
            /** @description Why you ask for access. Shown below the list of permissions. */
            intro?: string;
          };
        };
      };
      /** @description The name that end users see on every page. */
      displayName: string;
      /** @description The max number of connections per end user and integration, without disconnected ones. `null` or 0 (default): no limit. Lowering the limit keeps existing connections. */
      maxConnectionsPerUser?: number | null;
      /** @description URLs that browsers may return to. Compared exactly. */
      returnUrls: string[];
      /** @description The platform workspace that contains the tenant's connections and functions. Required, except in test mode, which does not use the platform. */
      workspace?: string;
    };
    /** @description Tenant suspended. */
    TenantSuspendedProblem: components["schemas"]["Problem"] & {
      /** @constant */
      code?: "tenant_suspended";
      /** @constant */
      status?: 403;
    };
    /** @description Available in test mode only. */
    TestModeOnlyProblem: components["schemas"]["Problem"] & {
      /** @constant */
      code?: "test_mode_only";
      /** @constant */
      status?: 409;
    };
    /**
     * @description The behavior of the built-in provider in test mode. `approved`: access to everything. `denied`: the user declines. `partial`: the last permission is left out. `no_refresh_token`: temporary access only. `expires`: the grant works for an hour. `revoked`: the grant works for ten seconds. `slow`: the token response takes nine seconds. `other_account`: a different account signs in.
     * @enum {string}
     */
    TestOutcome: "approved" | "denied" | "partial" | "no_refresh_token" | "expires" | "revoked" | "slow" | "other_account";
    /** @description The tools of the MCP server behind a connection: the approved list and any pending change. */
    ToolList: {
      /** @description The list that agents see. */
      approved: {
        /**
         * Format: date-time
         * @description When agents began to see this list.
         */
        at: string;
        /** @description Who approved the list: a platform account, `first listing`, or `policy` if changes are allowed. */
        by: string;
        /** @description SHA-256 of the tools and instructions. Lists with the same hash are identical. */
        hash: string;
        /** @description The server’s instructions for agents. */
        instructions?: string;
        /** @description As the server listed them. */
        tools: components["schemas"]["ListedTool"][];
      };
      connectionId: string;
      /** @description The current list of the server, if it waits for approval. New and changed tools cannot be called until then. */
      pending?: {
        /** @description Added tools. */
        added: string[];
        /** @description Tools with a changed definition. */
        changed: string[];
        /** @description SHA-256 of the tools and instructions. Lists with the same hash are identical. */
        hash: string;
        /** @description The server’s instructions for agents. */
        instructions?: string;
        /** @description Whether the server’s instructions changed. */
        instructionsChanged: boolean;
        /** @description Removed tools. */
        removed: string[];
        /**
         * Format: date-time
         * @description When the change was first seen.
         */
        since: string;
        /** @description As the server listed them. */
        tools: components["schemas"]["ListedTool"][];
      };
      /**
       * Format: date-time
       * @description When the tools were last listed.
       */
      seenAt: string;
    };
    /** @description The change to approve. */
    ToolListApproval: {
      /** @description The `hash` of the `pending` list that you reviewed. */
      hash: string;
    };
    /** @description The tools have changed again. */
    ToolListOutdatedProblem: components["schemas"]["Problem"] & {
      /** @constant */
      code?: "tool_list_outdated";
      /** @constant */
      status?: 409;
    };
    /** @description Which tools may be called. */
    ToolPolicy: {
      /**
       * @description No access tokens.
       * @constant
       */
      accessTokens?: false;
      /** @description Only these tools. A tool must be in the lists of all policies. */
      allow?: string[];
      /** @description Calls that a person has to allow. */
      approval?: {
        /** @description Who may allow the call. If several policies select the call and name approvers, only people whom all of them name. If none names approvers, the person whose login made the call, or the owner of the connection. */
        approvers?: {
          /** @description End users, by the ID that the tenant knows them by. */
          endUsers?: string[];
          /** @description Email addresses of members of the workspace. */
          members?: string[];
        };
        /**
         * @description Calls that may destroy, that write, or all.
         * @enum {string}
         */
        calls?: "destructive" | "writing" | "all";
        /** @description Methods of HTTP requests. */
        methods?: ("GET" | "HEAD" | "OPTIONS" | "POST" | "PUT" | "PATCH" | "DELETE")[];
        /** @description Names of tools. */
        tools?: string[];
      };
      /** @description Not these tools. */
      deny?: string[];
      /** @description Calls per minute of one tool of one function. `*` applies to tools without their own limit. */
      perMinute?: {
        [key: string]: number;
      };
      /** @description Only tools that change nothing. The tool for other requests may only GET. */
      readOnly?: boolean;
      /** @description What the HTTP relay allows. */
      relay?: {
        /** @description Allowed methods. */
        methods?: ("GET" | "HEAD" | "OPTIONS" | "POST" | "PUT" | "PATCH" | "DELETE")[];
        /** @description Allowed paths. May end with `*`. */
        paths?: string[];
      };
    };
    /** @description A tool policy that replaces the current one. */
    ToolPolicyRequest: {
      /** @description The version that you read; 0 if there was none. Another one is answered with 409. */
      ifVersion?: number;
      policy: components["schemas"]["ToolPolicy"];
      /** @description The reason. It is recorded in the audit log. */
      reason?: string;
    };
    /** @description Which version to repeat as a new one. */
    ToolPolicyRollbackRequest: {
      /** @description The version that you read; 0 if there was none. Another one is answered with 409. */
      ifVersion?: number;
      /** @description The reason. It is recorded in the audit log. */
      reason?: string;
      /** @description The version to repeat. */
      version: number;
    };
    /** @description The tool policy of a tenant or a connection. */
    ToolPolicyState: {
      /**
       * Format: date-time
       * @description When this version was saved.
       */
      changedAt?: string;
      /** @description The actor, as in the audit log. */
      changedBy?: {
        id?: string;
        kind: string;
        name?: string;
      };
      /** @description Of a connection: the result of all policies, as the platform applies them now. */
      effective?: {
        /** @description Whether access tokens may be issued. */
        accessTokens: boolean;
        /** @description Only these tools. Absent: every tool. */
        allow?: string[];
        /** @description A call that one of them selects has to be allowed. */
        approval: {
          [key: string]: unknown;
        }[];
        /** @description By member, whose policies count: `file` of the operator, `integration`, `tenant`, `connection`. */
        decidedBy: {
          [key: string]: string[];
        };
        /** @description Not these tools. */
        deny: string[];
        /** @description The lowest limit of each tool. */
        perMinute: {
          [key: string]: number;
        };
        /** @description Whether only tools that change nothing are allowed. */
        readOnly: boolean;
        /** @description A request of the relay must fit all of them. */
        relay: {
          [key: string]: string[];
        }[];
      };
      /** @description Absent if there is none. */
      policy?: components["schemas"]["ToolPolicy"];
      reason?: string;
      /** @description 0 if there never was a policy. */
      version: number;
    };
    /** @description A version of a tool policy. It never changes. */
    ToolPolicyVersion: {
      /**
       * Format: date-time
       * @description When this version was saved.
       */
      changedAt: string;
      /** @description The actor, as in the audit log. */
      changedBy: {
        id?: string;
        kind: string;
        name?: string;
      };
      /** @description Members that differ from the version before. */
      changedMembers: string[];
      /** @description Absent if the policy was removed. */
      policy?: components["schemas"]["ToolPolicy"];
      reason?: string;
      /** @description The earlier version that this one repeats. */
      restoredVersion?: number;
      /** @description Counts all changes of the deployment. */
      version: number;
    };
    /** @description A page of the list. */
    ToolPolicyVersionList: {
      data: components["schemas"]["ToolPolicyVersion"][];
      /** @description Send it as `cursor` for the next page. Absent on the last page. */
      nextCursor?: string;
    };
    /** @description Unexpected error. */
    UnexpectedProblem: components["schemas"]["Problem"] & {
      /** @constant */
      code?: "unexpected";
      /** @constant */
      status?: 500;
    };
    /** @description The members to change. */
    UpdateTenantRequest: {
      /** @description The appearance of the pages that end users see. Replaced as a whole if present, otherwise unchanged. */
      branding?: {
        /** @description The color of buttons and links. It is darkened or lightened if needed for contrast on light and dark pages. */
        accentColor?: string;
        /** @description Your privacy policy. */
        privacyUrl?: string;
        /** @description Your help page. Must use https, like the other URLs. */
        supportUrl?: string;
        /** @description Your terms of use. */
        termsUrl?: string;
        /** @description Texts on the connect page by language (BCP 47). Each text is one line of plain text with at most 200 characters, without markup, URLs, symbols or invisible characters. They are shown as quotes of the tenant on pages in that language. */
        wording?: {
          [key: string]: {
            /** @description Where users can get help. Shown below the buttons. */
            help?: string;
            /** @description Why you ask for access. Shown below the list of permissions. */
            intro?: string;
          };
        };
      };
      /** @description The name that end users see on every page. */
      displayName?: string;
      /** @description The max number of connections per end user and integration, without disconnected ones. `null` or 0 (default): no limit. Lowering the limit keeps existing connections. */
      maxConnectionsPerUser?: number | null;
      /** @description URLs that browsers may return to. Compared exactly. */
      returnUrls?: string[];
      /** @description The platform workspace that contains the tenant's connections and functions. Required, except in test mode, which does not use the platform. */
      workspace?: string;
    };
    /** @description The account at the third party that granted access. */
    UpstreamAccount: {
      /**
       * @description Present if the provider did not confirm this account: it comes from an import or the URL of the callback. Re-links are not pinned to it.
       * @constant
       */
      claimed?: true;
      id: string;
      label: string;
    };
    /** @description The texts that our pages show to end users, for use on your own pages. */
    UserWords: {
      /** @description What the user can do, or that they need not do anything. */
      advice: string;
      /** @description The language of the texts, as a BCP 47 tag. */
      locale: string;
      /** @description What happened, in a few words. */
      title: string;
    };
    /** @description A webhook endpoint of a tenant. */
    Webhook: {
      /** Format: date-time */
      createdAt: string;
      events: ("link.succeeded" | "link.failed" | "connection.relinked" | "connection.needs_relink" | "connection.health_unknown" | "connection.grant_ends_soon" | "connection.tools_changed" | "connection.approval_requested" | "connection.approval_decided" | "connection.disconnected" | "end_user.erased" | "tenant.deleted" | "audit.recorded")[];
      id: string;
      /**
       * Format: date-time
       * @description Present after a rotation. Until this time, messages are also signed with the previous secret.
       */
      previousSecretExpiresAt?: string;
      /**
       * @description `disabled`: by you, or because the endpoint answered 410.
       * @enum {string}
       */
      status: "active" | "disabled";
      tenantId: string;
      /** Format: date-time */
      updatedAt: string;
      url: string;
    };
    /** @description The delivery of one event to one webhook endpoint. */
    WebhookDelivery: {
      attempts: number;
      /** Format: date-time */
      createdAt: string;
      /** Format: date-time */
      deliveredAt?: string;
      event: {
        /** @description The `webhook-id` header of the message. All attempts use the same ID. */
        id: string;
        /** Format: date-time */
        occurredAt: string;
        /** @enum {string} */
        type: "link.succeeded" | "link.failed" | "connection.relinked" | "connection.needs_relink" | "connection.health_unknown" | "connection.grant_ends_soon" | "connection.tools_changed" | "connection.approval_requested" | "connection.approval_decided" | "connection.disconnected" | "end_user.erased" | "tenant.deleted" | "audit.recorded";
      };
      /**
       * @description Why the last attempt failed.
       * @enum {string}
       */
      failureReason?: "blocked" | "unreachable" | "unanswered" | "too_large" | "redirected" | "refused" | "gone" | "webhook_disabled" | "worker_crashed";
      id: string;
      /** Format: date-time */
      nextAttemptAt?: string;
      /** @description The HTTP status of the last response, if any. */
      responseStatus?: number;
      /**
       * @description `dead`: not retried, but can be replayed.
       * @enum {string}
       */
      status: "pending" | "delivered" | "dead";
      webhookId: string;
    };
    /** @description A page of the list. */
    WebhookDeliveryList: {
      data: components["schemas"]["WebhookDelivery"][];
      /** @description Send it as `cursor` for the next page. Absent on the last page. */
      nextCursor?: string;
    };
    /** @description Webhook endpoint disabled. */
    WebhookDisabledProblem: components["schemas"]["Problem"] & {
      /** @constant */
      code?: "webhook_disabled";
      /** @constant */
      status?: 409;
    };
    /** @description Too many webhook endpoints. */
    WebhookLimitProblem: components["schemas"]["Problem"] & {
      /** @constant */
      code?: "webhook_limit";
      /** @constant */
      status?: 409;
    };
    /** @description A page of the list. */
    WebhookList: {
      data: components["schemas"]["Webhook"][];
      /** @description Send it as `cursor` for the next page. Absent on the last page. */
      nextCursor?: string;
    };
    /** @description The URL and events of a webhook endpoint. */
    WebhookRequest: {
      /**
       * @description The events to send. Defaults to all but `audit.recorded`.
       * @default [
       *       "link.succeeded",
       *       "link.failed",
       *       "connection.relinked",
       *       "connection.needs_relink",
       *       "connection.health_unknown",
       *       "connection.grant_ends_soon",
       *       "connection.tools_changed",
       *       "connection.approval_requested",
       *       "connection.approval_decided",
       *       "connection.disconnected",
       *       "end_user.erased",
       *       "tenant.deleted"
       *     ]
       */
      events?: ("link.succeeded" | "link.failed" | "connection.relinked" | "connection.needs_relink" | "connection.health_unknown" | "connection.grant_ends_soon" | "connection.tools_changed" | "connection.approval_requested" | "connection.approval_decided" | "connection.disconnected" | "end_user.erased" | "tenant.deleted" | "audit.recorded")[];
      /** @description An https URL on the default port of a public host. Redirects are not followed. */
      url: string;
    };
    /** @description Too many secret rotations. */
    WebhookSecretLimitProblem: components["schemas"]["Problem"] & {
      /** @constant */
      code?: "webhook_secret_limit";
      /** @constant */
      status?: 409;
    };
    /** @description The webhook endpoint, with its new secret. */
    WebhookWithNewSecret: {
      /**
       * Format: date-time
       * @description From this time on, messages are signed with `secret`.
       */
      activeFrom: string;
      /** Format: date-time */
      createdAt: string;
      events: ("link.succeeded" | "link.failed" | "connection.relinked" | "connection.needs_relink" | "connection.health_unknown" | "connection.grant_ends_soon" | "connection.tools_changed" | "connection.approval_requested" | "connection.approval_decided" | "connection.disconnected" | "end_user.erased" | "tenant.deleted" | "audit.recorded")[];
      id: string;
      /**
       * Format: date-time
       * @description Present after a rotation. Until this time, messages are also signed with the previous secret.
       */
      previousSecretExpiresAt?: string;
      /** @description Verifies the signature of messages (Standard Webhooks). Shown only once. */
      secret: string;
      /**
       * @description `disabled`: by you, or because the endpoint answered 410.
       * @enum {string}
       */
      status: "active" | "disabled";
      tenantId: string;
      /** Format: date-time */
      updatedAt: string;
      url: string;
    };
    /**
     * @description Who has to act next. `operator` runs this deployment, `support` is its support team.
     * @enum {string}
     */
    WhoseMove: "user" | "tenant" | "support" | "operator" | "provider" | "platform";
    /** @description Workspace taken. */
    WorkspaceTakenProblem: components["schemas"]["Problem"] & {
      /** @constant */
      code?: "workspace_taken";
      /** @constant */
      status?: 409;
    };
    /** @description Workspace not on the platform. */
    WorkspaceUnknownProblem: components["schemas"]["Problem"] & {
      /** @constant */
      code?: "workspace_unknown";
      /** @constant */
      status?: 422;
    };
  };
  responses: never;
  parameters: never;
  requestBodies: never;
  headers: never;
  pathItems: never;
}
export interface operations {
  listAuditEntries: {
    parameters: {
      query?: {
        action?: "tenant.put" | "tenant.suspended" | "tenant.reactivated" | "tenant.exported" | "tenant.deletion_started" | "tenant.sessions_cancelled" | "tenant.deleted" | "tenant.signing_secret_rotated" | "tenant.oauth_client_put" | "tenant.oauth_client_deleted" | "tenant.logo_put" | "tenant.logo_deleted" | "key.created" | "key.revoked" | "key.exposed" | "key.encryption_rotated" | "authz.denied" | "event.triggered" | "session.minted" | "session.cancelled" | "relink.minted" | "return_url.rejected" | "connect.rejected" | "callback.rejected" | "callback.replayed" | "completion.rejected" | "link.started" | "link.imported" | "link.authorizing" | "link.code_waiting" | "link.exchanging" | "link.exchange_withdrawn" | "link.escrowed" | "link.testing" | "link.tested" | "link.connection_ready" | "link.function_ready" | "link.verified" | "link.linked" | "link.rolling_back" | "link.revoking" | "link.needs_attention" | "link.cancelled" | "link.denied" | "link.abandoned" | "link.failed" | "link.exchange_unknown" | "link.resumed" | "link.ended" | "relink.account_mismatch" | "end_user.erasure_started" | "end_user.erased" | "import.created" | "import.rows_added" | "import.cancelled" | "connection.created" | "connection.renamed" | "connection.needs_relink" | "connection.health_unknown" | "connection.grant_ends_soon" | "connection.account_learned" | "connection.recovered" | "connection.checked" | "connection.verified" | "connection.verify_failed" | "connection.tools_changed" | "connection.tools_approved" | "access_token.issued" | "connection.approval_requested" | "connection.approval_decided" | "function_login.created" | "function_login.ended" | "function_grant.revoked" | "manage_session.minted" | "manage_session.opened" | "manage_session.ended" | "manage_session.revoked" | "manage.rejected" | "disconnect.started" | "disconnect.failed" | "connection.grant_revocation" | "connection.function_removed" | "connection.disconnected" | "rollback.started" | "rollback.tested" | "rollback.swapped" | "rollback.verified" | "rollback.reverting" | "rollback.failed" | "connection.rolled_back" | "campaign.started" | "campaign.cancelled" | "webhook.created" | "webhook.deleted" | "webhook.secret_rotated" | "webhook.enabled" | "webhook.disabled" | "webhook.replayed" | "webhook.failed_replayed" | "egress.blocked" | "console.signed_in" | "console.refused" | "console.denied" | "csrf.rejected" | "console.signed_out_everywhere" | "oauth_client.registered" | "oauth_client.forgotten" | "integration.examined" | "integration.settings_put" | "integration.settings_removed" | "integration.settings_rolled_back" | "tenant.tool_policy_put" | "tenant.tool_policy_removed" | "connection.tool_policy_put" | "connection.tool_policy_removed" | "audit.exported" | "list.exported";
        /** @description The ID or name of the actor. */
        actor?: string;
        connectionId?: string;
        /** @description The `nextCursor` of the previous page. */
        cursor?: string;
        /** @description Only entries at or after this time. */
        from?: string;
        /** @description The max number of items per page. */
        limit?: number;
        linkId?: string;
        requestId?: string;
        tenantId?: string;
        /** @description Only entries before this time. */
        to?: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["AuditEntryList"];
        };
      };
    };
  };
  getAuditHead: {
    parameters: {
      query?: {
        /** @description The tenant. Without it, a deployment key reads the chain of entries that belong to no tenant. */
        tenantId?: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["AuditHead"];
        };
      };
    };
  };
  listAuditRecords: {
    parameters: {
      query?: {
        /** @description The `nextCursor` of the previous page. */
        cursor?: string;
        /** @description The max number of items per page. */
        limit?: number;
        /** @description The tenant. Without it, a deployment key reads the chain of entries that belong to no tenant. */
        tenantId?: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["AuditRecordList"];
        };
      };
    };
  };
  listCampaigns: {
    parameters: {
      query?: {
        /** @description The `nextCursor` of the previous page. */
        cursor?: string;
        /** @description The max number of items per page. */
        limit?: number;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["CampaignList"];
        };
      };
    };
  };
  createCampaign: {
    parameters: {
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["CampaignRequest"];
      };
    };
    responses: {
      201: {
        content: {
          "application/json": components["schemas"]["CreatedCampaign"];
          "text/csv": string;
        };
      };
    };
  };
  getCampaign: {
    parameters: {
      path: {
        campaignId: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Campaign"];
        };
      };
    };
  };
  cancelCampaign: {
    parameters: {
      path: {
        campaignId: string;
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["ReasonRequest"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Campaign"];
        };
      };
    };
  };
  listCampaignMembers: {
    parameters: {
      query?: {
        /** @description The `nextCursor` of the previous page. */
        cursor?: string;
        /** @description The max number of items per page. */
        limit?: number;
      };
      path: {
        campaignId: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["CampaignMemberList"];
        };
      };
    };
  };
  createConnectSession: {
    parameters: {
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["ConnectSessionRequest"];
      };
    };
    responses: {
      201: {
        content: {
          "application/json": components["schemas"]["CreatedConnectSession"];
        };
      };
    };
  };
  getConnectSession: {
    parameters: {
      path: {
        connectSessionId: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["ConnectSession"];
        };
      };
    };
  };
  cancelConnectSession: {
    parameters: {
      path: {
        connectSessionId: string;
      };
    };
    requestBody?: {
      content: {
        "application/json": components["schemas"]["OptionalReasonRequest"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["ConnectSession"];
        };
      };
    };
  };
  completeConnectSession: {
    parameters: {
      path: {
        connectSessionId: string;
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["CompletionRequest"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Link"];
        };
      };
    };
  };
  listConnections: {
    parameters: {
      query?: {
        /** @description The name of this account for agents and for its user, such as `work`. Unique among the connections of the user to the integration. At most 20 lowercase letters, digits and inner hyphens. */
        alias?: string;
        causeCode?: components["schemas"]["CauseCode"];
        /** @description The `nextCursor` of the previous page. */
        cursor?: string;
        /** @description The tenant's ID for the user. */
        endUserId?: string;
        integrationId?: string;
        /** @description Only connections that have all of these labels: `name=value`, separated by commas. */
        labels?: string;
        /** @description The max number of items per page. */
        limit?: number;
        /** @description The language of `causeForUser`, as a BCP 47 tag. Send the language of your user. Defaults to English, also if there are no texts in this language. */
        locale?: string;
        status?: components["schemas"]["ConnectionStatus"];
        tenantId?: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["ConnectionList"];
        };
      };
    };
  };
  createConnection: {
    parameters: {
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["ConnectionRequest"];
      };
    };
    responses: {
      201: {
        content: {
          "application/json": components["schemas"]["Connection"];
        };
      };
    };
  };
  getConnection: {
    parameters: {
      query?: {
        /** @description The language of `causeForUser`, as a BCP 47 tag. Send the language of your user. Defaults to English, also if there are no texts in this language. */
        locale?: string;
      };
      path: {
        connectionId: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Connection"];
        };
      };
    };
  };
  updateConnection: {
    parameters: {
      path: {
        connectionId: string;
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["ConnectionUpdate"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Connection"];
        };
      };
    };
  };
  getAccessToken: {
    parameters: {
      query?: {
        /** @description An API host of the app, if the connection has accounts of several apps. */
        host?: string;
      };
      path: {
        connectionId: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["AccessToken"];
        };
      };
    };
  };
  listApprovals: {
    parameters: {
      path: {
        connectionId: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["ApprovalList"];
        };
      };
    };
  };
  disconnectConnection: {
    parameters: {
      path: {
        connectionId: string;
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["ReasonRequest"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["ConnectionTask"];
        };
      };
    };
  };
  listFunctionGrants: {
    parameters: {
      path: {
        connectionId: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["FunctionGrantList"];
        };
      };
    };
  };
  revokeFunctionGrant: {
    parameters: {
      path: {
        connectionId: string;
        /** @description The `id` of the function grant. */
        grantId: string;
      };
    };
    responses: {
      204: {
      };
    };
  };
  readLoginToolPolicy: {
    parameters: {
      path: {
        connectionId: string;
        /** @description The `id` of the function grant. */
        grantId: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["ToolPolicyState"];
        };
      };
    };
  };
  putLoginToolPolicy: {
    parameters: {
      path: {
        connectionId: string;
        /** @description The `id` of the function grant. */
        grantId: string;
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["ToolPolicyRequest"];
      };
    };
    responses: {
      204: {
      };
    };
  };
  deleteLoginToolPolicy: {
    parameters: {
      query?: {
        /** @description The version that you read. */
        ifVersion?: number;
        /** @description The reason. It is recorded in the audit log. */
        reason?: string;
      };
      path: {
        connectionId: string;
        /** @description The `id` of the function grant. */
        grantId: string;
      };
    };
    responses: {
      204: {
      };
    };
  };
  rollBackLoginToolPolicy: {
    parameters: {
      path: {
        connectionId: string;
        /** @description The `id` of the function grant. */
        grantId: string;
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["ToolPolicyRollbackRequest"];
      };
    };
    responses: {
      204: {
      };
    };
  };
  listLoginToolPolicyVersions: {
    parameters: {
      query?: {
        /** @description The `nextCursor` of the previous page. */
        cursor?: string;
        /** @description The max number of items per page. */
        limit?: number;
      };
      path: {
        connectionId: string;
        /** @description The `id` of the function grant. */
        grantId: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["ToolPolicyVersionList"];
        };
      };
    };
  };
  createFunctionLogin: {
    parameters: {
      path: {
        connectionId: string;
      };
    };
    requestBody?: {
      content: {
        "application/json": components["schemas"]["FunctionLoginRequest"];
      };
    };
    responses: {
      201: {
        content: {
          "application/json": components["schemas"]["FunctionLogin"];
        };
      };
    };
  };
  endFunctionLogins: {
    parameters: {
      path: {
        connectionId: string;
      };
    };
    responses: {
      204: {
      };
    };
  };
  getConnectionHealth: {
    parameters: {
      query?: {
        /** @description The language of `causeForUser`, as a BCP 47 tag. Send the language of your user. Defaults to English, also if there are no texts in this language. */
        locale?: string;
      };
      path: {
        connectionId: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["ConnectionHealth"];
        };
      };
    };
  };
  createHealthCheck: {
    parameters: {
      path: {
        connectionId: string;
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["ReasonRequest"];
      };
    };
    responses: {
      201: {
        content: {
          "application/json": components["schemas"]["HealthCheck"];
        };
      };
    };
  };
  createRelinkSession: {
    parameters: {
      path: {
        connectionId: string;
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["RelinkSessionRequest"];
      };
    };
    responses: {
      201: {
        content: {
          "application/json": components["schemas"]["CreatedConnectSession"];
        };
      };
    };
  };
  rollBackConnection: {
    parameters: {
      path: {
        connectionId: string;
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["ReasonRequest"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["ConnectionTask"];
        };
      };
    };
  };
  getConnectionTask: {
    parameters: {
      path: {
        connectionId: string;
        taskId: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["ConnectionTask"];
        };
      };
    };
  };
  readToolList: {
    parameters: {
      path: {
        connectionId: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["ToolList"];
        };
      };
    };
  };
  approveToolList: {
    parameters: {
      path: {
        connectionId: string;
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["ToolListApproval"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["ToolList"];
        };
      };
    };
  };
  readConnectionToolPolicy: {
    parameters: {
      path: {
        connectionId: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["ToolPolicyState"];
        };
      };
    };
  };
  putConnectionToolPolicy: {
    parameters: {
      path: {
        connectionId: string;
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["ToolPolicyRequest"];
      };
    };
    responses: {
      204: {
      };
    };
  };
  deleteConnectionToolPolicy: {
    parameters: {
      query?: {
        /** @description The version that you read. */
        ifVersion?: number;
        /** @description The reason. It is recorded in the audit log. */
        reason?: string;
      };
      path: {
        connectionId: string;
      };
    };
    responses: {
      204: {
      };
    };
  };
  rollBackConnectionToolPolicy: {
    parameters: {
      path: {
        connectionId: string;
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["ToolPolicyRollbackRequest"];
      };
    };
    responses: {
      204: {
      };
    };
  };
  listConnectionToolPolicyVersions: {
    parameters: {
      query?: {
        /** @description The `nextCursor` of the previous page. */
        cursor?: string;
        /** @description The max number of items per page. */
        limit?: number;
      };
      path: {
        connectionId: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["ToolPolicyVersionList"];
        };
      };
    };
  };
  verifyConnection: {
    parameters: {
      path: {
        connectionId: string;
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["ReasonRequest"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["ConnectionTools"];
        };
      };
    };
  };
  listErasures: {
    parameters: {
      query?: {
        /** @description The `nextCursor` of the previous page. */
        cursor?: string;
        /** @description Only erasures of this user, found by the hash of the ID. With a deployment key, `tenantId` is required. */
        endUserId?: string;
        /** @description The max number of items per page. */
        limit?: number;
        tenantId?: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["ErasureList"];
        };
      };
    };
  };
  createErasure: {
    parameters: {
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["ErasureRequest"];
      };
    };
    responses: {
      202: {
        content: {
          "application/json": components["schemas"]["Erasure"];
        };
      };
    };
  };
  getErasure: {
    parameters: {
      path: {
        erasureId: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Erasure"];
        };
      };
    };
  };
  listImports: {
    parameters: {
      query?: {
        /** @description The `nextCursor` of the previous page. */
        cursor?: string;
        /** @description The max number of items per page. */
        limit?: number;
        tenantId?: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["ImportList"];
        };
      };
    };
  };
  createImport: {
    parameters: {
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["ImportRequest"];
      };
    };
    responses: {
      201: {
        content: {
          "application/json": components["schemas"]["ImportProgress"];
        };
      };
    };
  };
  getImport: {
    parameters: {
      path: {
        importId: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["ImportProgress"];
        };
      };
    };
  };
  cancelImport: {
    parameters: {
      path: {
        importId: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["ImportProgress"];
        };
      };
    };
  };
  listImportRows: {
    parameters: {
      query?: {
        /** @description The `nextCursor` of the previous page. */
        cursor?: string;
        /** @description The max number of items per page. */
        limit?: number;
        status?: "waiting" | "pending" | "linked" | "failed" | "needs_attention" | "invalid" | "cancelled";
      };
      path: {
        importId: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["ImportRowList"];
        };
      };
    };
  };
  addImportRows: {
    parameters: {
      path: {
        importId: string;
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["ImportRowsRequest"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["ImportRows"];
        };
      };
    };
  };
  listIntegrations: {
    parameters: {
      query?: {
        /** @description Whether a link can be started. */
        available?: "true" | "false";
        /** @description The category of the app. */
        category?: "accounting" | "analytics" | "calendar" | "commerce" | "communication" | "crm" | "design" | "developer-tools" | "documents" | "education" | "files" | "finance" | "forms" | "health" | "hr" | "identity" | "mail" | "marketing" | "media" | "payments" | "productivity" | "project-management" | "sales" | "social" | "support" | "travel" | "other";
        /** @description The `nextCursor` of the previous page. */
        cursor?: string;
        /** @description The max number of items per page. */
        limit?: number;
        /** @description Searches the name, other names, vendor and description, best match first. If nothing matches, similar spellings are found. */
        q?: string;
        /** @description `verified`: checked against the vendor's documentation within a year. `corroborated`: two independent sources agree. `listed`: one source; links are only possible after the operator adds it to the integrations file. */
        tier?: "verified" | "corroborated" | "listed" | "discovered";
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["IntegrationList"];
        };
      };
    };
  };
  readIntegrationSettings: {
    parameters: {
      path: {
        integrationId: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["IntegrationSettings"];
        };
      };
    };
  };
  putIntegrationSettings: {
    parameters: {
      path: {
        integrationId: string;
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["IntegrationSettingsRequest"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["IntegrationSettings"];
        };
      };
    };
  };
  deleteIntegrationSettings: {
    parameters: {
      query?: {
        /** @description Removes although existing connections are affected. */
        breakConnections?: "true" | "false";
        /** @description The version that you read. */
        ifVersion?: number;
        /** @description The reason. It is recorded in the audit log. */
        reason?: string;
      };
      path: {
        integrationId: string;
      };
    };
    responses: {
      204: {
      };
    };
  };
  rollBackIntegrationSettings: {
    parameters: {
      path: {
        integrationId: string;
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["SettingsRollbackRequest"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["IntegrationSettings"];
        };
      };
    };
  };
  listIntegrationSettingsVersions: {
    parameters: {
      query?: {
        /** @description The `nextCursor` of the previous page. */
        cursor?: string;
        /** @description The max number of items per page. */
        limit?: number;
      };
      path: {
        integrationId: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["IntegrationSettingsVersionList"];
        };
      };
    };
  };
  createLinkResumption: {
    parameters: {
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["LinkResumptionRequest"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["LinkResumption"];
        };
      };
    };
  };
  listLinks: {
    parameters: {
      query?: {
        causeCode?: components["schemas"]["CauseCode"];
        /** @description The `nextCursor` of the previous page. */
        cursor?: string;
        /** @description The max number of items per page. */
        limit?: number;
        status?: components["schemas"]["LinkStatus"];
        tenantId?: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["LinkList"];
        };
      };
    };
  };
  getLink: {
    parameters: {
      path: {
        linkId: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Link"];
        };
      };
    };
  };
  resumeLink: {
    parameters: {
      path: {
        linkId: string;
      };
    };
    requestBody?: {
      content: {
        "application/json": components["schemas"]["OptionalReasonRequest"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Link"];
        };
      };
    };
  };
  createManageSession: {
    parameters: {
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["ManageSessionRequest"];
      };
    };
    responses: {
      201: {
        content: {
          "application/json": components["schemas"]["CreatedManageSession"];
        };
      };
    };
  };
  getManageSession: {
    parameters: {
      path: {
        manageSessionId: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["ManageSession"];
        };
      };
    };
  };
  revokeManageSession: {
    parameters: {
      path: {
        manageSessionId: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["ManageSession"];
        };
      };
    };
  };
  listTenants: {
    parameters: {
      query?: {
        /** @description The `nextCursor` of the previous page. */
        cursor?: string;
        /** @description The max number of items per page. */
        limit?: number;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["TenantList"];
        };
      };
    };
  };
  createTenant: {
    parameters: {
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["CreateTenantRequest"];
      };
    };
    responses: {
      201: {
        content: {
          "application/json": components["schemas"]["CreatedTenant"];
        };
      };
    };
  };
  getTenant: {
    parameters: {
      path: {
        tenantId: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Tenant"];
        };
      };
    };
  };
  putTenant: {
    parameters: {
      path: {
        tenantId: string;
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["TenantRequest"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Tenant"];
        };
      };
      201: {
        content: {
          "application/json": components["schemas"]["CreatedTenant"];
        };
      };
    };
  };
  deleteTenant: {
    parameters: {
      path: {
        tenantId: string;
      };
    };
    responses: {
      202: {
        content: {
          "application/json": components["schemas"]["TenantDeletion"];
        };
      };
    };
  };
  updateTenant: {
    parameters: {
      path: {
        tenantId: string;
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["UpdateTenantRequest"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Tenant"];
        };
      };
    };
  };
  getTenantDeletion: {
    parameters: {
      path: {
        tenantId: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["TenantDeletion"];
        };
      };
    };
  };
  listEvents: {
    parameters: {
      query?: {
        /** @description The `nextCursor` of the previous page. */
        cursor?: string;
        /** @description The max number of items per page. */
        limit?: number;
        /** @description The order of the events. */
        order?: "oldest" | "newest";
      };
      path: {
        tenantId: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["EventList"];
        };
      };
    };
  };
  triggerEvent: {
    parameters: {
      path: {
        tenantId: string;
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["EventRequest"];
      };
    };
    responses: {
      201: {
        content: {
          "application/json": components["schemas"]["Event"];
        };
      };
    };
  };
  exportTenant: {
    parameters: {
      query?: {
        /** @description The `nextCursor` of the previous page. */
        cursor?: string;
        /** @description The max number of items per page. */
        limit?: number;
      };
      path: {
        tenantId: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["ExportRecordList"];
          "application/x-ndjson": string;
        };
      };
    };
  };
  putLogo: {
    parameters: {
      path: {
        /** @description The color scheme of the pages that show the logo. */
        colorScheme: "light" | "dark";
        tenantId: string;
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["LogoRequest"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Logo"];
        };
      };
    };
  };
  deleteLogo: {
    parameters: {
      path: {
        /** @description The color scheme of the pages that show the logo. */
        colorScheme: "light" | "dark";
        tenantId: string;
      };
    };
    responses: {
      204: {
      };
    };
  };
  listOAuthClients: {
    parameters: {
      path: {
        tenantId: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["OAuthClientDetailsList"];
        };
      };
    };
  };
  putOAuthClient: {
    parameters: {
      path: {
        integrationId: string;
        tenantId: string;
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["OAuthClientRequest"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["OAuthClient"];
        };
      };
    };
  };
  deleteOAuthClient: {
    parameters: {
      path: {
        integrationId: string;
        tenantId: string;
      };
    };
    responses: {
      204: {
      };
    };
  };
  reactivateTenant: {
    parameters: {
      path: {
        tenantId: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Tenant"];
        };
      };
    };
  };
  rotateSigningSecret: {
    parameters: {
      path: {
        tenantId: string;
      };
    };
    requestBody?: {
      content: {
        "application/json": components["schemas"]["SigningSecretRotationRequest"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["RotatedSigningSecret"];
        };
      };
    };
  };
  suspendTenant: {
    parameters: {
      path: {
        tenantId: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Tenant"];
        };
      };
    };
  };
  readTenantToolPolicy: {
    parameters: {
      path: {
        tenantId: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["ToolPolicyState"];
        };
      };
    };
  };
  putTenantToolPolicy: {
    parameters: {
      path: {
        tenantId: string;
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["ToolPolicyRequest"];
      };
    };
    responses: {
      204: {
      };
    };
  };
  deleteTenantToolPolicy: {
    parameters: {
      query?: {
        /** @description The version that you read. */
        ifVersion?: number;
        /** @description The reason. It is recorded in the audit log. */
        reason?: string;
      };
      path: {
        tenantId: string;
      };
    };
    responses: {
      204: {
      };
    };
  };
  rollBackTenantToolPolicy: {
    parameters: {
      path: {
        tenantId: string;
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["ToolPolicyRollbackRequest"];
      };
    };
    responses: {
      204: {
      };
    };
  };
  listTenantToolPolicyVersions: {
    parameters: {
      query?: {
        /** @description The `nextCursor` of the previous page. */
        cursor?: string;
        /** @description The max number of items per page. */
        limit?: number;
      };
      path: {
        tenantId: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["ToolPolicyVersionList"];
        };
      };
    };
  };
  listWebhookDeliveries: {
    parameters: {
      query?: {
        /** @description The `nextCursor` of the previous page. */
        cursor?: string;
        /** @description The max number of items per page. */
        limit?: number;
        status?: "pending" | "delivered" | "dead";
        webhookId?: string;
      };
      path: {
        tenantId: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["WebhookDeliveryList"];
        };
      };
    };
  };
  replayWebhookDelivery: {
    parameters: {
      path: {
        deliveryId: string;
        tenantId: string;
      };
    };
    requestBody?: {
      content: {
        "application/json": components["schemas"]["OptionalReasonRequest"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["WebhookDelivery"];
        };
      };
    };
  };
  listWebhooks: {
    parameters: {
      path: {
        tenantId: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["WebhookList"];
        };
      };
    };
  };
  createWebhook: {
    parameters: {
      path: {
        tenantId: string;
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["WebhookRequest"];
      };
    };
    responses: {
      201: {
        content: {
          "application/json": components["schemas"]["CreatedWebhook"];
        };
      };
    };
  };
  deleteWebhook: {
    parameters: {
      path: {
        tenantId: string;
        webhookId: string;
      };
    };
    responses: {
      204: {
      };
    };
  };
  disableWebhook: {
    parameters: {
      path: {
        tenantId: string;
        webhookId: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Webhook"];
        };
      };
    };
  };
  enableWebhook: {
    parameters: {
      path: {
        tenantId: string;
        webhookId: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Webhook"];
        };
      };
    };
  };
  rotateWebhookSecret: {
    parameters: {
      path: {
        tenantId: string;
        webhookId: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["WebhookWithNewSecret"];
        };
      };
    };
  };
}
