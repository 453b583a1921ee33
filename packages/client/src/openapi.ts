// Generated from the OpenAPI document by `npm run client:types`. Not to be edited.
export interface components {
  schemas: {
    /** @description Who changed what, when and why. */
    AuditEntry: {
      /** @enum {string} */
      action: "tenant.put" | "tenant.suspended" | "tenant.reactivated" | "tenant.exported" | "tenant.deletion_started" | "tenant.sessions_cancelled" | "tenant.deleted" | "tenant.signing_secret_rotated" | "tenant.oauth_client_put" | "tenant.oauth_client_deleted" | "tenant.logo_put" | "tenant.logo_deleted" | "oauth_client.registered" | "oauth_client.forgotten" | "key.created" | "key.revoked" | "key.exposed" | "key.encryption_rotated" | "authz.denied" | "event.triggered" | "session.minted" | "session.cancelled" | "relink.minted" | "return_url.rejected" | "connect.rejected" | "callback.rejected" | "callback.replayed" | "completion.rejected" | "link.started" | "link.imported" | "link.authorizing" | "link.code_waiting" | "link.exchanging" | "link.escrowed" | "link.testing" | "link.tested" | "link.connection_ready" | "link.function_ready" | "link.verified" | "link.linked" | "link.rolling_back" | "link.revoking" | "link.needs_attention" | "link.cancelled" | "link.denied" | "link.abandoned" | "link.failed" | "link.exchange_unknown" | "link.resumed" | "link.ended" | "relink.account_mismatch" | "end_user.erasure_started" | "end_user.erased" | "import.created" | "import.rows_added" | "import.cancelled" | "connection.needs_relink" | "connection.health_unknown" | "connection.grant_ends_soon" | "connection.account_learned" | "connection.recovered" | "connection.checked" | "connection.verified" | "connection.verify_failed" | "connection.tools_changed" | "connection.tools_approved" | "function_login.created" | "function_grant.revoked" | "manage_session.minted" | "manage_session.opened" | "manage_session.ended" | "manage_session.revoked" | "manage.rejected" | "disconnect.started" | "disconnect.failed" | "connection.grant_revocation" | "connection.function_removed" | "connection.disconnected" | "rollback.started" | "rollback.tested" | "rollback.swapped" | "rollback.verified" | "rollback.reverting" | "rollback.failed" | "connection.rolled_back" | "campaign.started" | "campaign.cancelled" | "webhook.created" | "webhook.deleted" | "webhook.secret_rotated" | "webhook.enabled" | "webhook.disabled" | "webhook.replayed" | "egress.blocked" | "console.signed_in" | "console.refused" | "console.denied" | "csrf.rejected" | "console.signed_out_everywhere" | "integration.examined" | "audit.exported" | "list.exported";
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
      /** @description The erasure that took out of the entry what named an end user, the reason included. */
      erasureId?: string;
      /** @description What Causeway states about it, by name. Which facts an entry has depends on its action. */
      facts: {
        [key: string]: unknown;
      };
      id: string;
      linkId?: string;
      /** Format: date-time */
      occurredAt: string;
      /** @description What a person gave as the reason, in their own words. */
      reason?: string;
      requestId?: string;
      /** @description What the entry is about. Absent if a rejected request named nothing that exists. */
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
    /** @description Re-link sessions for every connection that broke for one cause. */
    Campaign: {
      /** Format: date-time */
      cancelledAt?: string;
      cause: components["schemas"]["Cause"];
      /** @description How many of its connections are where. */
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
    /** @description A page of the list. */
    CampaignList: {
      data: components["schemas"]["Campaign"][];
      /** @description Send it as `cursor` for the next page. Absent on the last page. */
      nextCursor?: string;
    };
    /** @description One connection of a campaign. */
    CampaignMember: {
      /** @description The account at the third party, where it is known. */
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
      /** @description The account at the third party, where it is known. */
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
       * @description For the user of this connection alone. It is a secret, shown only once.
       */
      url: string;
    };
    /** @description Which connections take part, and why. */
    CampaignRequest: {
      /** @description Connections that need a re-link for this cause take part. */
      causeCode: components["schemas"]["CauseCode"];
      /** @description Only connections of this integration. */
      integrationId?: string;
      /** @description Why. It is recorded in the audit log. */
      reason: string;
      /** @description Only connections of this tenant. */
      tenantId?: string;
      /** @description How long the URLs can be opened. Seven days by default. */
      ttlSeconds?: number;
    };
    /** @description Why it does not work, and who can change that. */
    Cause: {
      advice: string;
      code: components["schemas"]["CauseCode"];
      /** @description Where this cause is explained, below the address of this deployment. */
      guide: string;
      title: string;
      whoseMove: components["schemas"]["WhoseMove"];
    };
    /**
     * @description The `code` of a cause.
     * @enum {string}
     */
    CauseCode: "consent_denied" | "user_cancelled" | "consent_failed" | "session_expired" | "session_cancelled" | "completion_missing" | "completion_refused" | "callback_rejected" | "code_refused" | "client_rejected" | "request_rejected" | "redirect_uri_rejected" | "client_forgotten" | "client_registration_refused" | "mcp_server_unprotected" | "mcp_metadata_unusable" | "mcp_issuer_unexpected" | "client_secret_expired" | "app_unverified" | "app_suspended" | "admin_approval_needed" | "callback_missing" | "provider_unavailable" | "answer_malformed" | "answer_unreadable" | "identity_invalid" | "no_refresh_token" | "refresh_tokens_off" | "refresh_tokens_not_approved" | "scope_missing" | "scope_insufficient" | "account_mismatch" | "import_account_mismatch" | "already_connected" | "connection_limit" | "grant_unusable" | "relink_rolled_back" | "grant_revoked" | "profile_mismatch" | "check_held_back" | "refresh_refused" | "connection_gone" | "connection_busy" | "exchange_unknown" | "platform_unavailable" | "platform_refused" | "platform_misconfigured" | "address_blocked" | "name_taken" | "integration_removed" | "worker_crashed" | "sealed_unreadable" | "function_failed";
    /** @description What came back with the browser, and what your server kept. */
    CompletionRequest: {
      /** @description `completion_code` of the return URL. */
      completionCode: string;
      /** @description The verifier from the session of the user whose browser came back. */
      completionVerifier: string;
    };
    /** @description The permanent result of a link: an account of an end user, and the function that acts for it. */
    Connection: {
      /** @description Why it needs a re-link. */
      cause?: components["schemas"]["Cause"];
      /** @description The cause in words that you can show to its end user, with the names of the app and the tenant. Not in an export. */
      causeForUser?: components["schemas"]["UserWords"];
      /**
       * Format: date-time
       * @description When its health was last checked.
       */
      checkedAt?: string;
      /** @description What was typed for the account or came with its answers, such as its subdomain; of an MCP server, what was discovered. */
      config?: {
        [key: string]: string;
      };
      /** Format: date-time */
      createdAt: string;
      /** Format: date-time */
      disconnectedAt?: string;
      endUser: components["schemas"]["EndUser"];
      functionName: string;
      /** @description With `/mcp` behind it, the address of the MCP server. */
      functionUrl: string;
      /**
       * Format: date-time
       * @description The provider ends the grant then, however it is used: re-link before. Shown in the last two weeks, of a grant that lives less than 56 days in its last quarter; absent otherwise.
       */
      grantEndsAt?: string;
      /**
       * Format: date-time
       * @description Since then no check could tell whether the connection works; `GET /connections/{connectionId}/health` says why. Absent otherwise.
       */
      healthUnknownSince?: string;
      id: string;
      integrationId: string;
      /** @description Its name on the platform. */
      name: string;
      /** Format: date-time */
      relinkedAt?: string;
      /** @description What the provider granted. */
      scopes: string[];
      status: components["schemas"]["ConnectionStatus"];
      tenantId: string;
      /**
       * @description Present in test mode: no real account is behind it, and nothing of it is on the platform.
       * @constant
       */
      testMode?: true;
      /** Format: date-time */
      updatedAt: string;
      upstreamAccount?: components["schemas"]["UpstreamAccount"];
      workspace: string;
    };
    /** @description Its function is gone, and its grant is deleted here. Unless `revocation` is `revoked` or `shared`, the app still lists the access: the user can remove it in their account there. */
    ConnectionDisconnectedEvent: {
      data: {
        connectionId: string;
        /** @description As in the API, but messages have the id alone: names and email addresses are not sent. */
        endUser: components["schemas"]["EndUser"];
        integrationId: string;
        /**
         * @description What became of the grant at the provider, as in the task of the disconnect.
         * @enum {string}
         */
        revocation?: "revoked" | "not_kept" | "not_offered" | "shared" | "refused" | "blocked" | "client_gone";
        tenantId: string;
        /**
         * @description Present in test mode: no real account is behind it, and nothing of it is on the platform.
         * @constant
         */
        testMode?: true;
      };
      /**
       * Format: date-time
       * @description When it happened.
       */
      timestamp: string;
      /** @constant */
      type: "connection.disconnected";
    };
    /** @description The provider ends grants at an age, however they are used, and this one is near it. Sent once for each grant. Ask its user to reconnect before then: see Create a re-link session. */
    ConnectionGrantEndsSoonEvent: {
      data: {
        connectionId: string;
        /**
         * Format: date-time
         * @description When the provider ends the grant.
         */
        endsAt: string;
        /** @description As in the API, but messages have the id alone: names and email addresses are not sent. */
        endUser: components["schemas"]["EndUser"];
        integrationId: string;
        tenantId: string;
        /**
         * @description Present in test mode: no real account is behind it, and nothing of it is on the platform.
         * @constant
         */
        testMode?: true;
      };
      /**
       * Format: date-time
       * @description When it happened.
       */
      timestamp: string;
      /** @constant */
      type: "connection.grant_ends_soon";
    };
    /** @description The connection and its last checks. */
    ConnectionHealth: {
      /** @description The newest first, at most 50. */
      checks: components["schemas"]["HealthCheck"][];
      connection: components["schemas"]["Connection"];
    };
    /** @description No check could tell for a day, or three times in a row, whether the connection works. It may well work. */
    ConnectionHealthUnknownEvent: {
      data: {
        cause: components["schemas"]["Cause"];
        connectionId: string;
        /** @description As in the API, but messages have the id alone: names and email addresses are not sent. */
        endUser: components["schemas"]["EndUser"];
        integrationId: string;
        /**
         * Format: date-time
         * @description Since when no check could tell.
         */
        since: string;
        tenantId: string;
        /**
         * @description Present in test mode: no real account is behind it, and nothing of it is on the platform.
         * @constant
         */
        testMode?: true;
      };
      /**
       * Format: date-time
       * @description When it happened.
       */
      timestamp: string;
      /** @constant */
      type: "connection.health_unknown";
    };
    /** @description A page of the list. */
    ConnectionList: {
      data: components["schemas"]["Connection"][];
      /** @description Send it as `cursor` for the next page. Absent on the last page. */
      nextCursor?: string;
    };
    /** @description Its grant no longer works. Ask its user to reconnect: see Create a re-link session. */
    ConnectionNeedsRelinkEvent: {
      data: {
        cause: components["schemas"]["Cause"];
        connectionId: string;
        /** @description As in the API, but messages have the id alone: names and email addresses are not sent. */
        endUser: components["schemas"]["EndUser"];
        integrationId: string;
        tenantId: string;
        /**
         * @description Present in test mode: no real account is behind it, and nothing of it is on the platform.
         * @constant
         */
        testMode?: true;
      };
      /**
       * Format: date-time
       * @description When it happened.
       */
      timestamp: string;
      /** @constant */
      type: "connection.needs_relink";
    };
    /** @description A connection has a new grant, and works. */
    ConnectionRelinkedEvent: {
      data: {
        connectionId: string;
        connectSessionId: string;
        /** @description As in the API, but messages have the id alone: names and email addresses are not sent. */
        endUser: components["schemas"]["EndUser"];
        integrationId: string;
        linkId: string;
        /**
         * @description `relink`: it got a new grant for a connection that existed.
         * @enum {string}
         */
        purpose: "link" | "relink";
        tenantId: string;
        /**
         * @description Present in test mode: no real account is behind it, and nothing of it is on the platform.
         * @constant
         */
        testMode?: true;
      };
      /**
       * Format: date-time
       * @description When it happened.
       */
      timestamp: string;
      /** @constant */
      type: "connection.relinked";
    };
    /**
     * @description `needs_relink`: its grant no longer works, and its user has to sign in again. `disconnected` is final.
     * @enum {string}
     */
    ConnectionStatus: "active" | "needs_relink" | "disconnected";
    /** @description A disconnect or a rollback that was requested. */
    ConnectionTask: {
      /** @description How often this step has failed so far. */
      attempts: number;
      /** @description Why it failed, or its last error. */
      cause?: components["schemas"]["Cause"];
      connectionId: string;
      /** Format: date-time */
      createdAt: string;
      id: string;
      /** @enum {string} */
      kind: "disconnect" | "rollback";
      /**
       * @description What became of the grant at the provider. `not_kept`: no copy was stored to revoke. `not_offered`: the provider revokes nothing. `shared`: another connection depends on the same consent. `refused`: the provider did not revoke it. `blocked`: it was not asked, because this deployment does not call its address. `client_gone`: the OAuth client that it was issued to is not configured here any more, and the provider hears no other. Unless it is `revoked` or `shared`, the user can remove the access in their account at the provider.
       * @enum {string}
       */
      revocation?: "revoked" | "not_kept" | "not_offered" | "shared" | "refused" | "blocked" | "client_gone";
      /**
       * @description `pending` continues without you.
       * @enum {string}
       */
      status: "pending" | "done" | "failed";
      /**
       * @description What it is at. Absent once it has ended.
       * @enum {string}
       */
      step?: "revoke_grant" | "remove_function" | "remove_connection" | "test_grant" | "replace_grant" | "verify_function" | "clean_up" | "restore";
      /** Format: date-time */
      updatedAt: string;
    };
    /** @description What the function of a connection offers. */
    ConnectionTools: {
      /** @description The names of the tools of its function. */
      tools: string[];
    };
    /** @description The vendor’s own MCP server behind the connection offers other tools than before. While they are held, agents see what was approved; read the tool list, and approve the change. */
    ConnectionToolsChangedEvent: {
      data: {
        /** @description How many tools are new. Only while they are held. */
        added?: number;
        /** @description How many tools are not what they were. Only while they are held. */
        changed?: number;
        connectionId: string;
        /** @description As in the API, but messages have the id alone: names and email addresses are not sent. */
        endUser: components["schemas"]["EndUser"];
        /** @description Whether the change waits for approval. Otherwise agents see it already. */
        held: boolean;
        integrationId: string;
        /** @description How many tools are gone. Only while that is held. */
        removed?: number;
        tenantId: string;
        /**
         * @description Present in test mode: no real account is behind it, and nothing of it is on the platform.
         * @constant
         */
        testMode?: true;
      };
      /**
       * Format: date-time
       * @description When it happened.
       */
      timestamp: string;
      /** @constant */
      type: "connection.tools_changed";
    };
    /** @description A short-lived permission for one browser to link an integration to one tenant. */
    ConnectSession: {
      /** @description The connection that a `relink` session re-links. */
      connectionId?: string;
      /** Format: date-time */
      createdAt: string;
      endUser: components["schemas"]["EndUser"];
      /** Format: date-time */
      expiresAt: string;
      id: string;
      /**
       * @description Of a `link` session: what happens to an account that was connected before.
       * @enum {string}
       */
      ifConnected?: "add" | "relink" | "refuse";
      /** @description Of a session with `integrationIds`, the one that the user has started; absent until then. */
      integrationId?: string;
      /** @description What the user picks from. Empty: any that the tenant may use. */
      integrationIds?: string[];
      /** @description Present once the user has started. */
      linkId?: string;
      /** @description The language of its pages, if one was named. */
      locale?: string;
      /**
       * @description `relink`: it gets a new grant for `connectionId`.
       * @enum {string}
       */
      purpose: "link" | "relink";
      /** @description Absent: the browser ends on a page of the deployment. */
      returnUrl?: string;
      /** @enum {string} */
      status: "open" | "started" | "expired" | "cancelled";
      tenantId: string;
      /**
       * @description Present in test mode: no real account is behind it, and nothing of it is on the platform.
       * @constant
       */
      testMode?: true;
      /** @description What was chosen for it in test mode. */
      testOutcome?: components["schemas"]["TestOutcome"];
    };
    /** @description Who links which integration to which tenant, and where the browser goes afterwards. */
    ConnectSessionRequest: {
      /** @description The base64url SHA-256 of a random verifier, which your server keeps in the user's session. */
      completionChallenge: string;
      endUser: components["schemas"]["ConnectSessionUser"];
      /**
       * @description What happens when the user turns out to have connected the same account to this integration before: `add`, the default, makes another connection, `relink` gives the new grant to the connection that is there, `refuse` fails the link with `already_connected`. Decided after consent, when the app has said which account it is; an app that does not say it always adds.
       * @enum {string}
       */
      ifConnected?: "add" | "relink" | "refuse";
      /** @description Values that the integration needs before the user can sign in, such as `subdomain`, by the names in `inputs` of the integration. The connect page asks the user for those that are missing. */
      inputs?: {
        [key: string]: string;
      };
      /** @description What the user connects. Or `integrationIds`. */
      integrationId?: string;
      /** @description Instead of `integrationId`: the user picks one of these on a page of the deployment first. An empty list: any that the tenant may use. Without `inputs`. */
      integrationIds?: string[];
      /** @description The language of the pages the user sees, as a BCP 47 tag. Without it, or without texts in it, the browser's own language is used. */
      locale?: string;
      /** @description Where the browser goes at the end. One of the return URLs of the tenant, letter for letter. */
      returnUrl: string;
      tenantId: string;
      /** @description Only in test mode. Without it, the user chooses on a page. */
      testOutcome?: components["schemas"]["TestOutcome"];
      /** @description How long the URL can be opened. */
      ttlSeconds?: number;
    };
    /** @description The user who links the account, as the connect page addresses them. */
    ConnectSessionUser: {
      displayName?: string;
      /** Format: email */
      email?: string;
      /** @description Your own id of the user. */
      id: string;
    };
    /** @description The campaign, with the URLs to send. */
    CreatedCampaign: {
      /** @description How many of the members have an account with as many grants as the app allows: a new one ends the oldest, which another connection may use, or is refused. Absent if there are none. */
      atGrantLimit?: number;
      /** Format: date-time */
      cancelledAt?: string;
      cause: components["schemas"]["Cause"];
      /** @description How many of its connections are where. */
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
      /** @description Connections left out because a campaign takes 5000: start another for them. */
      remaining: number;
      tenantId?: string;
    };
    /** @description The new connect session, with the URL for its user. */
    CreatedConnectSession: {
      /** @description The connection that a `relink` session re-links. */
      connectionId?: string;
      /** Format: date-time */
      createdAt: string;
      endUser: components["schemas"]["EndUser"];
      /** Format: date-time */
      expiresAt: string;
      /** @description Of a re-link: present if the app lets one account have only `limit` grants of this client, and `live` of them may be alive. The new one ends the oldest, which another connection may use, or is refused. */
      grantLimit?: {
        /**
         * @description What the app does with one more: it ends the oldest, or refuses the new one.
         * @enum {string}
         */
        beyond: "oldest_ends" | "refused";
        /** @description How many of them the app lets live. */
        limit: number;
        /** @description How many grants of this client the account may have. */
        live: number;
      };
      id: string;
      /**
       * @description Of a `link` session: what happens to an account that was connected before.
       * @enum {string}
       */
      ifConnected?: "add" | "relink" | "refuse";
      /** @description Of a session with `integrationIds`, the one that the user has started; absent until then. */
      integrationId?: string;
      /** @description What the user picks from. Empty: any that the tenant may use. */
      integrationIds?: string[];
      /** @description Present once the user has started. */
      linkId?: string;
      /** @description The language of its pages, if one was named. */
      locale?: string;
      /**
       * @description `relink`: it gets a new grant for `connectionId`.
       * @enum {string}
       */
      purpose: "link" | "relink";
      /** @description Absent: the browser ends on a page of the deployment. */
      returnUrl?: string;
      /** @enum {string} */
      status: "open" | "started" | "expired" | "cancelled";
      tenantId: string;
      /**
       * @description Present in test mode: no real account is behind it, and nothing of it is on the platform.
       * @constant
       */
      testMode?: true;
      /** @description What was chosen for it in test mode. */
      testOutcome?: components["schemas"]["TestOutcome"];
      /**
       * Format: uri
       * @description Redirect the end user's browser there. It is a secret, shown only once.
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
      /** @description The language of the page, if one was named. */
      locale?: string;
      /** @description Where the page leads back to. */
      returnUrl?: string;
      /**
       * @description `opened`: a browser has it, and no other can open it any more.
       * @enum {string}
       */
      status: "created" | "opened" | "expired" | "revoked";
      tenantId: string;
      /**
       * @description Present in test mode: no real account is behind it, and nothing of it is on the platform.
       * @constant
       */
      testMode?: true;
      /**
       * Format: uri
       * @description Redirect the browser of this user there, at once: it can be opened for five minutes and belongs to the browser that opens it first. It is a secret, shown only once: never send or store it.
       */
      url: string;
    };
    /** @description The new tenant, with the secret that signs its return URLs. */
    CreatedTenant: {
      /** @description Absent if nothing was set. */
      branding?: {
        /** @description Of buttons and links. It is darkened or lightened as far as it has to be to be read on light and on dark pages. */
        accentColor?: string;
        /** @description What becomes of the data of users. */
        privacyUrl?: string;
        /** @description Where users get help. An https address, as the other two. */
        supportUrl?: string;
        /** @description The terms of use. */
        termsUrl?: string;
        /** @description Words of its own on the connect page, by language (BCP 47): one line of plain text each, of 200 characters at most, without markup, addresses, symbols and invisible characters. They are shown as a quote of the tenant, on pages in that language. */
        wording?: {
          [key: string]: {
            /** @description What to do with questions. Below the buttons. */
            help?: string;
            /** @description Why the user is asked. Below the list of permissions. */
            intro?: string;
          };
        };
      };
      /** Format: date-time */
      createdAt: string;
      displayName: string;
      id: string;
      /** @description Absent if there are none. */
      logos?: {
        /** @description On dark pages, if there is one for light pages, too. */
        dark?: components["schemas"]["Logo"];
        /** @description On light pages, and on dark ones if there is no other. */
        light?: components["schemas"]["Logo"];
      };
      /** @description How many connections to one integration a user may have. 0: any number. */
      maxConnectionsPerUser: number;
      returnUrls: string[];
      /** @description Verifies `sig` on return URLs. Shown only once. */
      signingSecret: string;
      /**
       * @description Nothing can be started for a tenant that is `suspended`, or `deleting`; its deletion says how far that is.
       * @enum {string}
       */
      status: "active" | "suspended" | "deleting" | "deleted";
      /**
       * @description Present in test mode: no real account is behind it, and nothing of it is on the platform.
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
      events: ("link.succeeded" | "link.failed" | "connection.relinked" | "connection.needs_relink" | "connection.health_unknown" | "connection.grant_ends_soon" | "connection.tools_changed" | "connection.disconnected" | "end_user.erased" | "tenant.deleted")[];
      id: string;
      /**
       * Format: date-time
       * @description Present after a rotation: until then messages are also signed with the previous secret.
       */
      previousSecretExpiresAt?: string;
      /** @description Verifies the signature of messages (Standard Webhooks). Shown only once. */
      secret: string;
      /**
       * @description An endpoint that answers 410 is disabled, and so is one that you disable.
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
      /** @description How the pages look that its users see. Replaced as a whole; without it, it stays as it is. */
      branding?: {
        /** @description Of buttons and links. It is darkened or lightened as far as it has to be to be read on light and on dark pages. */
        accentColor?: string;
        /** @description What becomes of the data of users. */
        privacyUrl?: string;
        /** @description Where users get help. An https address, as the other two. */
        supportUrl?: string;
        /** @description The terms of use. */
        termsUrl?: string;
        /** @description Words of its own on the connect page, by language (BCP 47): one line of plain text each, of 200 characters at most, without markup, addresses, symbols and invisible characters. They are shown as a quote of the tenant, on pages in that language. */
        wording?: {
          [key: string]: {
            /** @description What to do with questions. Below the buttons. */
            help?: string;
            /** @description Why the user is asked. Below the list of permissions. */
            intro?: string;
          };
        };
      };
      /** @description What its users know it by: it is on every page they see. */
      displayName: string;
      /** @description Choose one that you know the tenant by, or get one. In test mode it begins with `test_`. */
      id?: string;
      /** @description How many connections to one integration a user may have, without those that were disconnected. 0, as at first: any number. Connections beyond a lower limit stay. */
      maxConnectionsPerUser?: number;
      /** @description Where browsers may be sent back to. Compared letter for letter. */
      returnUrls: string[];
      /** @description The workspace on the platform where its connections and functions are created. Ignored in test mode, where the platform is not used. */
      workspace: string;
    };
    /** @description The user of the tenant who owns the account. */
    EndUser: {
      displayName?: string;
      email?: string;
      /** @description The tenant's own id of the user. */
      id: string;
    };
    /** @description Nothing here names the user any more, this message included. Read the erasure for its receipt. */
    EndUserErasedEvent: {
      data: {
        /** @description The id that the request for the erasure was answered with. */
        erasureId: string;
        tenantId: string;
        /**
         * @description Present in test mode: no real account is behind it, and nothing of it is on the platform.
         * @constant
         */
        testMode?: true;
      };
      /**
       * Format: date-time
       * @description When it happened.
       */
      timestamp: string;
      /** @constant */
      type: "end_user.erased";
    };
    /** @description The erasure of one end user, and its receipt. */
    Erasure: {
      /** @description What it waits for, and who can change that. */
      cause?: components["schemas"]["Cause"];
      /** @description A keyed hash of the id of the user: the same for the same user of the tenant, and no way back to it. */
      endUserHash: string;
      /** Format: date-time */
      finishedAt?: string;
      id: string;
      /** @description Whom it waits for. Present at the step `notify`. */
      notifying?: {
        /**
         * Format: date-time
         * @description Then it goes on, whether they have or not.
         */
        until: string;
        /** @description Endpoints that have not taken one of the events yet. `GET /tenants/{tenantId}/webhook-deliveries` says why. */
        webhookIds: string[];
      };
      /** @description What was done. Present once it is done. */
      receipt?: components["schemas"]["ErasureReceipt"];
      /** Format: date-time */
      requestedAt: string;
      /**
       * @description `pending` continues without you.
       * @enum {string}
       */
      status: "pending" | "done";
      /**
       * @description What it is at. Absent once it is done.
       * @enum {string}
       */
      step?: "end_links" | "disconnect" | "notify" | "erase";
      tenantId: string;
      /**
       * @description Present in test mode: no real account is behind it, and nothing of it is on the platform.
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
    /** @description What was done, without naming the user. */
    ErasureReceipt: {
      /** @description Every grant of the user. All of them are deleted here and on the platform. */
      grants: {
        /** @description The connection that had the grant. */
        connectionId?: string;
        integrationId: string;
        /** @description The link that got the grant, if it never became a connection. */
        linkId?: string;
        /**
         * @description What became of the grant at the provider. `revoked`: it works no more. `shared`: another connection lives off the same consent, which revoking would end. `not_offered`: the provider has no way to revoke it. `not_kept`: it was not stored here. `refused`: the provider did not revoke it. `blocked`: it was not asked, because this deployment does not call its address. `client_gone`: the OAuth client that it was issued to is not configured here any more, and the provider hears no other. Unless it is `revoked`, the user can remove the access in their account at the provider.
         * @enum {string}
         */
        revocation: "revoked" | "not_kept" | "not_offered" | "shared" | "refused" | "blocked" | "client_gone";
      }[];
      /** @description How many records named the user. Manage sessions are deleted; the others stay without what named the user, with the id of the erasure as `endUser.id`. */
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
    /** @description Who is erased. */
    ErasureRequest: {
      endUser: components["schemas"]["ErasureUser"];
      /** @description Why. It stays in the audit log, so it must not name the user: a ticket number is enough. */
      reason?: string;
      tenantId: string;
    };
    /** @description The user of the tenant to erase, by their id alone. */
    ErasureUser: {
      /** @description Your own id of the user, as in their connect sessions. */
      id: string;
    };
    /** @description Something that a tenant is told about. */
    Event: {
      /** @description Send it as `cursor` to get the events behind this one. */
      cursor: string;
      /** @description The same as in the message to webhook endpoints, by `type`. */
      data: {
        [key: string]: unknown;
      };
      /** @description The `webhook-id` header of the message to webhook endpoints. */
      id: string;
      /**
       * Format: date-time
       * @description When it happened.
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
    /** @description Which event to make up. */
    EventRequest: {
      type: components["schemas"]["EventType"];
    };
    /**
     * @description What happened.
     * @enum {string}
     */
    EventType: "link.succeeded" | "link.failed" | "connection.relinked" | "connection.needs_relink" | "connection.health_unknown" | "connection.grant_ends_soon" | "connection.tools_changed" | "connection.disconnected" | "end_user.erased" | "tenant.deleted";
    /** @description One thing of a tenant. */
    ExportRecord: {
      /** @description The `Tenant`, `OAuthClientDetails`, `Webhook`, `Connection`, `Link`, `Import`, `Erasure` or `AuditEntry`, as its own operation answers with it. A link also has `outsideCalls`: which calls it made to the provider and the platform, when, with which status or error code, and how long each took. Secrets are in none of them. */
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
     * @description What the record is.
     * @enum {string}
     */
    ExportRecordType: "tenant" | "oauth_client" | "webhook" | "connection" | "link" | "import" | "erasure" | "audit_entry";
    /** @description What an MCP client was allowed to do. */
    FunctionGrant: {
      /** @description Who allowed it. */
      account: string;
      /** @description The app, by the name that it chose itself. */
      app: {
        name: string;
        /** @description The host, or the scheme of a native app, that takes its codes. */
        redirectsTo: string;
      };
      /** Format: date-time */
      createdAt: string;
      id: string;
      /** @description `tools:read`: tools that only read. `tools:write`: all of them. */
      scopes: string[];
    };
    /** @description A page of the list. */
    FunctionGrantList: {
      data: components["schemas"]["FunctionGrant"][];
      /** @description Send it as `cursor` for the next page. Absent on the last page. */
      nextCursor?: string;
    };
    /** @description A way for the end user to sign in once and open the function in their own MCP client. */
    FunctionLogin: {
      /** Format: date-time */
      expiresAt: string;
      /**
       * Format: uri
       * @description What the end user adds to their MCP client.
       */
      mcpUrl: string;
      /**
       * Format: uri
       * @description For the browser of the end user of this connection, whom you have authenticated. It can be opened once, and signs in the person who opens it: redirect to it, and never send or store it.
       */
      url: string;
    };
    /** @description How long the login works. */
    FunctionLoginRequest: {
      /** @description How long the URL can be opened. Ten minutes by default. */
      ttlSeconds?: number;
    };
    /** @description What one check of a connection found. */
    HealthCheck: {
      cause?: components["schemas"]["Cause"];
      /** Format: date-time */
      checkedAt: string;
      durationMs: number;
      /**
       * @description `unclear`: something else was broken, so the check says nothing about the grant. `untested`: the function answers, and nothing tries the grant, because the profile of the integration names no tool to try it with.
       * @enum {string}
       */
      outcome: "healthy" | "broken" | "unclear" | "untested";
    };
    /** @description Grants that a tenant already has, brought here in rows. */
    Import: {
      /**
       * Format: date-time
       * @description From then on no row was started any more.
       */
      cancelledAt?: string;
      /** Format: date-time */
      createdAt: string;
      id: string;
      /** @description What you call it. */
      name?: string;
      tenantId: string;
    };
    /** @description A page of the list. */
    ImportList: {
      data: components["schemas"]["Import"][];
      /** @description Send it as `cursor` for the next page. Absent on the last page. */
      nextCursor?: string;
    };
    /** @description An import, and how far it has come. */
    ImportProgress: {
      /**
       * Format: date-time
       * @description From then on no row was started any more.
       */
      cancelledAt?: string;
      /** @description How many rows are where. */
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
      /** @description What you call it. */
      name?: string;
      /** @description Why rows did not become connections, the most frequent reason first. */
      reasons: {
        /** @description The code of a cause, or of what is wrong with a row. */
        code: string;
        /** @description How many rows failed, need attention or are not valid for it. */
        rows: number;
        title: string;
        whoseMove: components["schemas"]["WhoseMove"];
      }[];
      /**
       * @description `empty`: no row was added yet. `pending` continues without you. `paused`: so many rows need attention that the others wait until support has looked. `done`: no row is left to do, and more can be added.
       * @enum {string}
       */
      status: "empty" | "pending" | "paused" | "done" | "cancelled";
      tenantId: string;
    };
    /** @description Whose grants are imported. */
    ImportRequest: {
      /** @description What you call it, to find it again. */
      name?: string;
      tenantId: string;
    };
    /** @description What became of a row. */
    ImportRow: {
      /** @description As it was sent. */
      accountId?: string;
      /** @description Why it failed, or needs attention, or is being retried. */
      cause?: components["schemas"]["Cause"];
      /** @description Present when it is `linked`. */
      connectionId?: string;
      endUser: components["schemas"]["EndUser"];
      /** @description As it was sent. Empty where that is what is not valid. */
      integrationId: string;
      /** @description As it was sent. */
      key: string;
      /** @description The link that carries it. Present once the row was started. */
      linkId?: string;
      /** @description Present when it is `invalid`. */
      problem?: {
        advice: string;
        code: components["schemas"]["ImportRowProblemCode"];
        /** @description Which members of the row are not valid. Present with `members_invalid`. */
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
      /** @description The id of the account at the third party, where you know it. If the app names another one, the row fails and nothing is set up. */
      accountId?: string;
      /** @description Whose grant it is. */
      endUser: {
        displayName?: string;
        /** Format: email */
        email?: string;
        /** @description Your own id of the user. */
        id: string;
      };
      /** @description What the integration asks of its users, such as a subdomain, and what its app sends with a callback, by the names of the integration. */
      inputs?: {
        [key: string]: string;
      };
      integrationId: string;
      /** @description Your name for this row, such as the id of your own record. The same key in the same import is the same row: a row that is sent again changes nothing. It is shown in the report, so it should not be the name or the email address of a person. */
      key: string;
      /** @description The newest one you have. It is sealed at once, and never shown again. */
      refreshToken: string;
      /** @description What was granted, where you know it and the app may not say. Without either, everything that is asked for counts as granted. */
      scopes?: string[];
    };
    /** @description What became of the rows so far. */
    ImportRows: {
      /** @description One for each row that was sent, in its order. */
      rows: components["schemas"]["ImportRow"][];
    };
    /** @description Up to 500 rows, and 1 MB. */
    ImportRowsRequest: {
      /** @description Says what would become of each row, and keeps nothing. No app is asked, so whether a refresh token works is not known. */
      dryRun?: boolean;
      /** @description Each with a key of its own. One that is not valid is told so by itself, and the others are taken. */
      rows: components["schemas"]["ImportRowRequest"][];
    };
    /**
     * @description `waiting` and `pending` continue without you. `linked`: the connection works. `failed` is final. `needs_attention` waits for the deployment’s support team. `invalid` was not taken: correct it and send it again. `cancelled` was not started.
     * @enum {string}
     */
    ImportRowStatus: "waiting" | "pending" | "linked" | "failed" | "needs_attention" | "invalid" | "cancelled";
    /** @description A third-party app that can be linked. */
    Integration: {
      /**
       * Format: date
       * @description The day on which its facts were read.
       */
      asOf?: string;
      /** @description Whether a link can be started: an OAuth client is configured, or can be registered. */
      available: boolean;
      /**
       * @description Absent for one of this deployment's own.
       * @enum {string}
       */
      category?: "accounting" | "analytics" | "calendar" | "commerce" | "communication" | "crm" | "design" | "developer-tools" | "documents" | "education" | "files" | "finance" | "forms" | "health" | "hr" | "identity" | "mail" | "marketing" | "media" | "payments" | "productivity" | "project-management" | "sales" | "social" | "support" | "travel" | "other";
      description: string;
      displayName: string;
      id: string;
      /** @description Values that are needed before the user can sign in, such as a subdomain. Send them as `inputs` of a connect session, or the connect page asks the user. */
      inputs?: {
        /** @description A sentence that helps the user to find it. */
        help?: string;
        label: string;
        name: string;
        /** @description The regular expression that the whole value matches. */
        pattern: string;
      }[];
      /**
       * @description `mcp`: the vendor's own MCP server, which functions forward to. `api`: tools at its API.
       * @enum {string}
       */
      kind: "api" | "mcp";
      permissions: {
        description: string;
        scope: string;
      }[];
      /**
       * @description `verified`: a page of the vendor was read within a year. `corroborated`: two independent sources agree. `listed`: one source, by which no link starts until the operator has taken it into the integrations file.
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
    /** @description One attempt to get a grant and put it to work, from consent to a working function. */
    Link: {
      /** @description How often `step` has failed so far; `cause` is its last error. */
      attempts: number;
      cause?: components["schemas"]["Cause"];
      /** @description The cause in words that you can show to its end user, in the `locale` of the connect session, or else in English. */
      causeForUser?: components["schemas"]["UserWords"];
      /** @description Present when it is `linked`. */
      connection?: {
        functionName: string;
        /** @description With `/mcp` behind it, the address of the MCP server. */
        functionUrl: string;
        id: string;
        /** @description Its name on the platform. */
        name: string;
        upstreamAccount?: components["schemas"]["UpstreamAccount"];
        workspace: string;
      };
      /** @description The connection it re-links, or the one it has created once it is `linked`. */
      connectionId?: string;
      connectSessionId: string;
      /**
       * Format: uri
       * @description Present when the user must be asked for consent again: send the same browser there.
       */
      continueUrl?: string;
      /** Format: date-time */
      createdAt: string;
      endUser: components["schemas"]["EndUser"];
      id: string;
      /** @description The import that its grant came with. */
      importId?: string;
      integrationId: string;
      /** @description Permissions the user did not grant. */
      missingScopes?: string[];
      /**
       * Format: date-time
       * @description When the step is retried. Absent while it is being tried, and when the link has ended.
       */
      nextAttemptAt?: string;
      /** @description Every step, in order. */
      progress: {
        /** @enum {string} */
        status: "done" | "current" | "waiting" | "failed";
        step: components["schemas"]["LinkStep"];
      }[];
      /**
       * @description `relink`: it gets a new grant for a connection that exists.
       * @enum {string}
       */
      purpose: "link" | "relink";
      status: components["schemas"]["LinkStatus"];
      /** @description The step it is at; of an ended link, the last one it reached. */
      step: components["schemas"]["LinkStep"];
      tenantId: string;
      /**
       * @description Present in test mode: no real account is behind it, and nothing of it is on the platform.
       * @constant
       */
      testMode?: true;
      /** Format: date-time */
      updatedAt: string;
      /**
       * @description Present while it is `pending` and cannot go on by itself. `consent`: the user is at the provider, or on the way there. `completion`: the user has consented, and your server has to complete the connect session within about two minutes.
       * @enum {string}
       */
      waitingFor?: "consent" | "completion";
    };
    /** @description A link ended `failed`, `denied`, `cancelled` or `abandoned`. */
    LinkFailedEvent: {
      data: {
        cause: components["schemas"]["Cause"];
        /** @description The connection that a `relink` was for. */
        connectionId?: string;
        connectSessionId: string;
        /** @description As in the API, but messages have the id alone: names and email addresses are not sent. */
        endUser: components["schemas"]["EndUser"];
        integrationId: string;
        linkId: string;
        /**
         * @description `relink`: it got a new grant for a connection that existed.
         * @enum {string}
         */
        purpose: "link" | "relink";
        tenantId: string;
        /**
         * @description Present in test mode: no real account is behind it, and nothing of it is on the platform.
         * @constant
         */
        testMode?: true;
      };
      /**
       * Format: date-time
       * @description When it happened.
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
    /** @description What became of the links. */
    LinkResumption: {
      /** @description More links need attention for this cause. */
      hasMore: boolean;
      /** @description How many links continue now. */
      resumed: number;
      /** @description Already resumed in the meantime, or for a connection that was linked again since. */
      skipped: number;
    };
    /** @description Which links continue, and why they can. */
    LinkResumptionRequest: {
      causeCode: components["schemas"]["CauseCode"];
      /** @description Why. It is recorded in the audit log. */
      reason: string;
      tenantId?: string;
    };
    /**
     * @description `pending` continues without you, unless `waitingFor` of the link says otherwise. `needs_attention` waits for the deployment’s support team. The others are final.
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
        connectionId: string;
        connectSessionId: string;
        /** @description As in the API, but messages have the id alone: names and email addresses are not sent. */
        endUser: components["schemas"]["EndUser"];
        integrationId: string;
        linkId: string;
        /**
         * @description `relink`: it got a new grant for a connection that existed.
         * @enum {string}
         */
        purpose: "link" | "relink";
        tenantId: string;
        /**
         * @description Present in test mode: no real account is behind it, and nothing of it is on the platform.
         * @constant
         */
        testMode?: true;
      };
      /**
       * Format: date-time
       * @description When it happened.
       */
      timestamp: string;
      /** @constant */
      type: "link.succeeded";
    };
    /** @description A tool of a vendor’s own MCP server. */
    ListedTool: {
      /** @description The whole definition, as agents would get it over MCP. */
      definition: {
        [key: string]: unknown;
      };
      /** @description What the server says of it. */
      description?: string;
      name: string;
      /** @description Whether the server says that it changes nothing. */
      readOnly: boolean;
    };
    /** @description A picture that was made from what was sent. */
    Logo: {
      /** @description The same. */
      height: number;
      /** @description Where the picture is, below the address of the deployment. It never changes: another picture has another. */
      url: string;
      /** @description As it is drawn, in CSS pixels. The picture is up to twice as dense. */
      width: number;
    };
    /** @description An image. Only its pixels are kept. */
    LogoRequest: {
      /** @description The file in base64: PNG, JPEG or WebP, at most 512 kB and 4 million pixels, at least 20 pixels wide and high, and not more than eight times as long in one direction as in the other. SVG is not accepted. */
      image: string;
    };
    /** @description A page on which one user looks after their connections, for minutes and in one browser. */
    ManageSession: {
      /** Format: date-time */
      createdAt: string;
      endUser: components["schemas"]["EndUser"];
      /** Format: date-time */
      expiresAt: string;
      id: string;
      /** @description The language of the page, if one was named. */
      locale?: string;
      /** @description Where the page leads back to. */
      returnUrl?: string;
      /**
       * @description `opened`: a browser has it, and no other can open it any more.
       * @enum {string}
       */
      status: "created" | "opened" | "expired" | "revoked";
      tenantId: string;
      /**
       * @description Present in test mode: no real account is behind it, and nothing of it is on the platform.
       * @constant
       */
      testMode?: true;
    };
    /** @description Whose connections, and where the user goes afterwards. */
    ManageSessionRequest: {
      endUser: components["schemas"]["ManageSessionUser"];
      /** @description The language of the pages the user sees, as a BCP 47 tag. Without it, or without texts in it, the browser's own language is used. */
      locale?: string;
      /** @description Where the page leads back to. One of the return URLs of the tenant, letter for letter. */
      returnUrl?: string;
      tenantId: string;
      /** @description How long the page can be used. 30 minutes by default. */
      ttlSeconds?: number;
    };
    /** @description The user whose connections the page shows. */
    ManageSessionUser: {
      displayName?: string;
      /** Format: email */
      email?: string;
      /** @description Your own id of the user, as in their connect sessions. */
      id: string;
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
       * @description How it authenticates; absent when the integration is no longer offered here.
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
      /** @description Absent for a public client. It is stored sealed, and never shown. */
      clientSecret?: string;
    };
    /** @description Why it is done, if a reason is known. */
    OptionalReasonRequest: {
      /** @description Why. It is recorded in the audit log. */
      reason?: string;
    };
    /** @description Why a request was refused (RFC 9457). */
    Problem: {
      code: components["schemas"]["ProblemCode"];
      /** @description What is wrong with this request, for a person. */
      detail: string;
      /** @description Which parts of the request are not valid. */
      errors?: {
        /** @description What is expected there, for a person. */
        detail: string;
        /** @description The name of the header. Present where it is what is not valid. */
        header?: string;
        /** @description The name of the parameter, of the query or the path. Present where it is what is not valid. */
        parameter?: string;
        /** @description JSON pointer to the member of the body. For a parameter or a header: `/` and its name. */
        pointer: string;
      }[];
      /** @description The id of the request, for support. */
      instance: string;
      /** @description The HTTP status. */
      status: number;
      title: string;
      /** @description An address below that of this deployment that explains the problem. */
      type: string;
      whoseMove: components["schemas"]["WhoseMove"];
    };
    /**
     * @description Which problem it is, for a program.
     * @enum {string}
     */
    ProblemCode: "input_invalid" | "body_unreadable" | "body_too_large" | "content_type_unsupported" | "method_not_allowed" | "not_found" | "credential_invalid" | "origin_foreign" | "console_off" | "sign_in_needed" | "sign_in_failed" | "sign_in_unavailable" | "sign_in_stale" | "sign_in_time_unknown" | "role_missing" | "key_limited" | "workspace_taken" | "workspace_unknown" | "tenant_exists" | "tenant_suspended" | "tenant_deleted" | "session_started" | "integration_unavailable" | "connect_ended" | "callback_malformed" | "callback_unknown" | "callback_foreign" | "completion_early" | "completion_refused" | "completion_used" | "completion_late" | "provider_unavailable" | "idempotency_key_reused" | "idempotency_key_busy" | "rate_limited" | "link_not_resumable" | "link_not_endable" | "connection_busy" | "connection_disconnected" | "tool_list_outdated" | "rollback_impossible" | "campaign_empty" | "import_cancelled" | "not_in_test_mode" | "test_mode_only" | "platform_unavailable" | "backlog_full" | "connection_limit" | "webhook_limit" | "webhook_secret_limit" | "webhook_disabled" | "store_unavailable" | "unexpected";
    /** @description Why it is done. */
    ReasonRequest: {
      /** @description Why. It is recorded in the audit log. */
      reason: string;
    };
    /** @description Why the connection is re-linked, and where its user goes afterwards. */
    RelinkSessionRequest: {
      /** @description The account may be another one than before. Only for keys of the deployment. */
      allowOtherAccount?: boolean;
      /** @description Required, with `returnUrl`, where the account cannot be compared: none is known, or another is allowed. */
      completionChallenge?: string;
      /** @description The language of the pages the user sees, as a BCP 47 tag. Without it, or without texts in it, the browser's own language is used. */
      locale?: string;
      /** @description Why. It is recorded in the audit log. */
      reason: string;
      /** @description One of the return URLs of the tenant. Without it the user ends on a page of the deployment. */
      returnUrl?: string;
      /** @description Only in test mode. Without it, the user chooses on a page. */
      testOutcome?: components["schemas"]["TestOutcome"];
      /** @description How long the URL can be opened. A day by default. */
      ttlSeconds?: number;
    };
    /** @description The secret that will sign return URLs, and when. */
    RotatedSigningSecret: {
      /**
       * Format: date-time
       * @description From then on results are signed with `secret`.
       */
      activeFrom: string;
      /**
       * Format: date-time
       * @description Until then accept a signature by either secret: results travel by browser.
       */
      previousSecretExpiresAt: string;
      /** @description Verifies `sig` on return URLs. Shown only once. */
      secret: string;
    };
    /** @description When the new secret begins to sign. */
    SigningSecretRotationRequest: {
      /**
       * @description How long the current secret goes on signing. 0 where it has leaked.
       * @default 86400
       */
      afterSeconds?: number;
    };
    /** @description A customer of the deployment. */
    Tenant: {
      /** @description Absent if nothing was set. */
      branding?: {
        /** @description Of buttons and links. It is darkened or lightened as far as it has to be to be read on light and on dark pages. */
        accentColor?: string;
        /** @description What becomes of the data of users. */
        privacyUrl?: string;
        /** @description Where users get help. An https address, as the other two. */
        supportUrl?: string;
        /** @description The terms of use. */
        termsUrl?: string;
        /** @description Words of its own on the connect page, by language (BCP 47): one line of plain text each, of 200 characters at most, without markup, addresses, symbols and invisible characters. They are shown as a quote of the tenant, on pages in that language. */
        wording?: {
          [key: string]: {
            /** @description What to do with questions. Below the buttons. */
            help?: string;
            /** @description Why the user is asked. Below the list of permissions. */
            intro?: string;
          };
        };
      };
      /** Format: date-time */
      createdAt: string;
      displayName: string;
      id: string;
      /** @description Absent if there are none. */
      logos?: {
        /** @description On dark pages, if there is one for light pages, too. */
        dark?: components["schemas"]["Logo"];
        /** @description On light pages, and on dark ones if there is no other. */
        light?: components["schemas"]["Logo"];
      };
      /** @description How many connections to one integration a user may have. 0: any number. */
      maxConnectionsPerUser: number;
      returnUrls: string[];
      /**
       * @description Nothing can be started for a tenant that is `suspended`, or `deleting`; its deletion says how far that is.
       * @enum {string}
       */
      status: "active" | "suspended" | "deleting" | "deleted";
      /**
       * @description Present in test mode: no real account is behind it, and nothing of it is on the platform.
       * @constant
       */
      testMode?: true;
      /** Format: date-time */
      updatedAt: string;
      workspace: string;
    };
    /** @description With everything of theirs. It is the last event that its endpoints get. */
    TenantDeletedEvent: {
      data: {
        tenantId: string;
        /**
         * @description Present in test mode: no real account is behind it, and nothing of it is on the platform.
         * @constant
         */
        testMode?: true;
      };
      /**
       * Format: date-time
       * @description When it happened.
       */
      timestamp: string;
      /** @constant */
      type: "tenant.deleted";
    };
    /** @description How far the deletion of a tenant has come. */
    TenantDeletion: {
      /** @description How many connections are still to be disconnected. */
      connectionsLeft: number;
      /** Format: date-time */
      startedAt: string;
      /**
       * @description `pending` continues without you.
       * @enum {string}
       */
      status: "pending" | "done";
      /**
       * @description What it is at. Absent once it is done.
       * @enum {string}
       */
      step?: "end_links" | "disconnect" | "notify" | "erase";
      tenantId: string;
      /** Format: date-time */
      updatedAt: string;
    };
    /** @description A page of the list. */
    TenantList: {
      data: components["schemas"]["Tenant"][];
      /** @description Send it as `cursor` for the next page. Absent on the last page. */
      nextCursor?: string;
    };
    /** @description A tenant as it should be. */
    TenantRequest: {
      /** @description How the pages look that its users see. Replaced as a whole; without it, it stays as it is. */
      branding?: {
        /** @description Of buttons and links. It is darkened or lightened as far as it has to be to be read on light and on dark pages. */
        accentColor?: string;
        /** @description What becomes of the data of users. */
        privacyUrl?: string;
        /** @description Where users get help. An https address, as the other two. */
        supportUrl?: string;
        /** @description The terms of use. */
        termsUrl?: string;
        /** @description Words of its own on the connect page, by language (BCP 47): one line of plain text each, of 200 characters at most, without markup, addresses, symbols and invisible characters. They are shown as a quote of the tenant, on pages in that language. */
        wording?: {
          [key: string]: {
            /** @description What to do with questions. Below the buttons. */
            help?: string;
            /** @description Why the user is asked. Below the list of permissions. */
            intro?: string;
          };
        };
      };
      /** @description What its users know it by: it is on every page they see. */
      displayName: string;
      /** @description How many connections to one integration a user may have, without those that were disconnected. 0, as at first: any number. Connections beyond a lower limit stay. */
      maxConnectionsPerUser?: number;
      /** @description Where browsers may be sent back to. Compared letter for letter. */
      returnUrls: string[];
      /** @description The workspace on the platform where its connections and functions are created. Ignored in test mode, where the platform is not used. */
      workspace: string;
    };
    /**
     * @description What the built-in provider of test mode does. `approved`: access to everything. `denied`: the user declines. `partial`: the last permission is left out. `no_refresh_token`: temporary access only. `expires`: the grant works for an hour. `revoked`: the grant works for ten seconds. `slow`: the token response takes nine seconds. `other_account`: a different account signs in.
     * @enum {string}
     */
    TestOutcome: "approved" | "denied" | "partial" | "no_refresh_token" | "expires" | "revoked" | "slow" | "other_account";
    /** @description The tools of the MCP server behind a connection: what agents see, and what waits for approval. */
    ToolList: {
      /** @description What agents see. */
      approved: {
        /**
         * Format: date-time
         * @description Since when agents see it.
         */
        at: string;
        /** @description Who approved it: an account of the platform, `first listing`, or `policy` where changes are allowed. */
        by: string;
        /** @description SHA-256 of the tools and instructions: a list with the same hash is the same list. */
        hash: string;
        /** @description What the server tells agents about itself. */
        instructions?: string;
        /** @description As the server listed them. */
        tools: components["schemas"]["ListedTool"][];
      };
      connectionId: string;
      /** @description What the server lists now, if it waits for approval. Until then its new and changed tools cannot be called. */
      pending?: {
        /** @description Tools that were not there before. */
        added: string[];
        /** @description Tools whose definition is another one. */
        changed: string[];
        /** @description SHA-256 of the tools and instructions: a list with the same hash is the same list. */
        hash: string;
        /** @description What the server tells agents about itself. */
        instructions?: string;
        /** @description Whether the instructions of the server are other ones. */
        instructionsChanged: boolean;
        /** @description Tools that are there no more. */
        removed: string[];
        /**
         * Format: date-time
         * @description When it was first seen.
         */
        since: string;
        /** @description As the server listed them. */
        tools: components["schemas"]["ListedTool"][];
      };
      /**
       * Format: date-time
       * @description When the server was last asked.
       */
      seenAt: string;
    };
    /** @description Which change is approved. */
    ToolListApproval: {
      /** @description The `hash` of `pending` that you have reviewed. */
      hash: string;
    };
    /** @description What changes about a tenant. */
    UpdateTenantRequest: {
      /** @description How the pages look that its users see. Replaced as a whole; without it, it stays as it is. */
      branding?: {
        /** @description Of buttons and links. It is darkened or lightened as far as it has to be to be read on light and on dark pages. */
        accentColor?: string;
        /** @description What becomes of the data of users. */
        privacyUrl?: string;
        /** @description Where users get help. An https address, as the other two. */
        supportUrl?: string;
        /** @description The terms of use. */
        termsUrl?: string;
        /** @description Words of its own on the connect page, by language (BCP 47): one line of plain text each, of 200 characters at most, without markup, addresses, symbols and invisible characters. They are shown as a quote of the tenant, on pages in that language. */
        wording?: {
          [key: string]: {
            /** @description What to do with questions. Below the buttons. */
            help?: string;
            /** @description Why the user is asked. Below the list of permissions. */
            intro?: string;
          };
        };
      };
      /** @description What its users know it by: it is on every page they see. */
      displayName?: string;
      /** @description How many connections to one integration a user may have, without those that were disconnected. 0, as at first: any number. Connections beyond a lower limit stay. */
      maxConnectionsPerUser?: number;
      /** @description Where browsers may be sent back to. Compared letter for letter. */
      returnUrls?: string[];
      /** @description The workspace on the platform where its connections and functions are created. Ignored in test mode, where the platform is not used. */
      workspace?: string;
    };
    /** @description The account at the third party that granted access. */
    UpstreamAccount: {
      id: string;
      label: string;
    };
    /** @description Words of the pages that end users see, for a page of your own. */
    UserWords: {
      /** @description What the user can do, or that it is not up to them. */
      advice: string;
      /** @description The language that they are in, as a BCP 47 tag. */
      locale: string;
      /** @description What happened, in a few words. */
      title: string;
    };
    /** @description A webhook endpoint of a tenant. */
    Webhook: {
      /** Format: date-time */
      createdAt: string;
      events: ("link.succeeded" | "link.failed" | "connection.relinked" | "connection.needs_relink" | "connection.health_unknown" | "connection.grant_ends_soon" | "connection.tools_changed" | "connection.disconnected" | "end_user.erased" | "tenant.deleted")[];
      id: string;
      /**
       * Format: date-time
       * @description Present after a rotation: until then messages are also signed with the previous secret.
       */
      previousSecretExpiresAt?: string;
      /**
       * @description An endpoint that answers 410 is disabled, and so is one that you disable.
       * @enum {string}
       */
      status: "active" | "disabled";
      tenantId: string;
      /** Format: date-time */
      updatedAt: string;
      url: string;
    };
    /** @description One event on its way to one webhook endpoint. */
    WebhookDelivery: {
      attempts: number;
      /** Format: date-time */
      createdAt: string;
      /** Format: date-time */
      deliveredAt?: string;
      event: {
        /** @description The `webhook-id` header of the message, the same in every attempt. */
        id: string;
        /** Format: date-time */
        occurredAt: string;
        /** @enum {string} */
        type: "link.succeeded" | "link.failed" | "connection.relinked" | "connection.needs_relink" | "connection.health_unknown" | "connection.grant_ends_soon" | "connection.tools_changed" | "connection.disconnected" | "end_user.erased" | "tenant.deleted";
      };
      /**
       * @description Why the last attempt failed.
       * @enum {string}
       */
      failureReason?: "blocked" | "unreachable" | "unanswered" | "too_large" | "redirected" | "refused" | "gone" | "webhook_disabled" | "worker_crashed";
      id: string;
      /** Format: date-time */
      nextAttemptAt?: string;
      /** @description The HTTP status of the last response, if there was one. */
      responseStatus?: number;
      /**
       * @description `dead`: it is not attempted again, unless it is replayed.
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
    /** @description A page of the list. */
    WebhookList: {
      data: components["schemas"]["Webhook"][];
      /** @description Send it as `cursor` for the next page. Absent on the last page. */
      nextCursor?: string;
    };
    /** @description Where events are sent to, and which. */
    WebhookRequest: {
      /**
       * @description Which events are sent. All of them by default.
       * @default [
       *       "link.succeeded",
       *       "link.failed",
       *       "connection.relinked",
       *       "connection.needs_relink",
       *       "connection.health_unknown",
       *       "connection.grant_ends_soon",
       *       "connection.tools_changed",
       *       "connection.disconnected",
       *       "end_user.erased",
       *       "tenant.deleted"
       *     ]
       */
      events?: ("link.succeeded" | "link.failed" | "connection.relinked" | "connection.needs_relink" | "connection.health_unknown" | "connection.grant_ends_soon" | "connection.tools_changed" | "connection.disconnected" | "end_user.erased" | "tenant.deleted")[];
      /** @description https, on the default port of a public host. Redirects are not followed. */
      url: string;
    };
    /** @description The webhook endpoint, with its new secret. */
    WebhookWithNewSecret: {
      /**
       * Format: date-time
       * @description From then on messages are signed with `secret`.
       */
      activeFrom: string;
      /** Format: date-time */
      createdAt: string;
      events: ("link.succeeded" | "link.failed" | "connection.relinked" | "connection.needs_relink" | "connection.health_unknown" | "connection.grant_ends_soon" | "connection.tools_changed" | "connection.disconnected" | "end_user.erased" | "tenant.deleted")[];
      id: string;
      /**
       * Format: date-time
       * @description Present after a rotation: until then messages are also signed with the previous secret.
       */
      previousSecretExpiresAt?: string;
      /** @description Verifies the signature of messages (Standard Webhooks). Shown only once. */
      secret: string;
      /**
       * @description An endpoint that answers 410 is disabled, and so is one that you disable.
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
        action?: "tenant.put" | "tenant.suspended" | "tenant.reactivated" | "tenant.exported" | "tenant.deletion_started" | "tenant.sessions_cancelled" | "tenant.deleted" | "tenant.signing_secret_rotated" | "tenant.oauth_client_put" | "tenant.oauth_client_deleted" | "tenant.logo_put" | "tenant.logo_deleted" | "oauth_client.registered" | "oauth_client.forgotten" | "key.created" | "key.revoked" | "key.exposed" | "key.encryption_rotated" | "authz.denied" | "event.triggered" | "session.minted" | "session.cancelled" | "relink.minted" | "return_url.rejected" | "connect.rejected" | "callback.rejected" | "callback.replayed" | "completion.rejected" | "link.started" | "link.imported" | "link.authorizing" | "link.code_waiting" | "link.exchanging" | "link.escrowed" | "link.testing" | "link.tested" | "link.connection_ready" | "link.function_ready" | "link.verified" | "link.linked" | "link.rolling_back" | "link.revoking" | "link.needs_attention" | "link.cancelled" | "link.denied" | "link.abandoned" | "link.failed" | "link.exchange_unknown" | "link.resumed" | "link.ended" | "relink.account_mismatch" | "end_user.erasure_started" | "end_user.erased" | "import.created" | "import.rows_added" | "import.cancelled" | "connection.needs_relink" | "connection.health_unknown" | "connection.grant_ends_soon" | "connection.account_learned" | "connection.recovered" | "connection.checked" | "connection.verified" | "connection.verify_failed" | "connection.tools_changed" | "connection.tools_approved" | "function_login.created" | "function_grant.revoked" | "manage_session.minted" | "manage_session.opened" | "manage_session.ended" | "manage_session.revoked" | "manage.rejected" | "disconnect.started" | "disconnect.failed" | "connection.grant_revocation" | "connection.function_removed" | "connection.disconnected" | "rollback.started" | "rollback.tested" | "rollback.swapped" | "rollback.verified" | "rollback.reverting" | "rollback.failed" | "connection.rolled_back" | "campaign.started" | "campaign.cancelled" | "webhook.created" | "webhook.deleted" | "webhook.secret_rotated" | "webhook.enabled" | "webhook.disabled" | "webhook.replayed" | "egress.blocked" | "console.signed_in" | "console.refused" | "console.denied" | "csrf.rejected" | "console.signed_out_everywhere" | "integration.examined" | "audit.exported" | "list.exported";
        /** @description The id or the name of who acted. */
        actor?: string;
        connectionId?: string;
        /** @description The `nextCursor` of the page before. */
        cursor?: string;
        /** @description Not before this time. */
        from?: string;
        /** @description How many items a page has at most. */
        limit?: number;
        linkId?: string;
        requestId?: string;
        tenantId?: string;
        /** @description Before this time. */
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
  listCampaigns: {
    parameters: {
      query?: {
        /** @description The `nextCursor` of the page before. */
        cursor?: string;
        /** @description How many items a page has at most. */
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
        /** @description The `nextCursor` of the page before. */
        cursor?: string;
        /** @description How many items a page has at most. */
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
        causeCode?: components["schemas"]["CauseCode"];
        /** @description The `nextCursor` of the page before. */
        cursor?: string;
        /** @description The tenant's own id of the user. */
        endUserId?: string;
        integrationId?: string;
        /** @description How many items a page has at most. */
        limit?: number;
        /** @description The language of `causeForUser`, as a BCP 47 tag: that of your user. Without it, or without texts in it, English. */
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
  getConnection: {
    parameters: {
      query?: {
        /** @description The language of `causeForUser`, as a BCP 47 tag: that of your user. Without it, or without texts in it, English. */
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
        /** @description The `id` in the list of function grants. */
        grantId: string;
      };
    };
    responses: {
      204: {
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
  getConnectionHealth: {
    parameters: {
      query?: {
        /** @description The language of `causeForUser`, as a BCP 47 tag: that of your user. Without it, or without texts in it, English. */
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
        /** @description The `nextCursor` of the page before. */
        cursor?: string;
        /** @description Erasures of one user, found by the hash of their id. With a key of the deployment, send `tenantId`, too. */
        endUserId?: string;
        /** @description How many items a page has at most. */
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
        /** @description The `nextCursor` of the page before. */
        cursor?: string;
        /** @description How many items a page has at most. */
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
        /** @description The `nextCursor` of the page before. */
        cursor?: string;
        /** @description How many items a page has at most. */
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
        /** @description What the app is for. */
        category?: "accounting" | "analytics" | "calendar" | "commerce" | "communication" | "crm" | "design" | "developer-tools" | "documents" | "education" | "files" | "finance" | "forms" | "health" | "hr" | "identity" | "mail" | "marketing" | "media" | "payments" | "productivity" | "project-management" | "sales" | "social" | "support" | "travel" | "other";
        /** @description The `nextCursor` of the page before. */
        cursor?: string;
        /** @description How many items a page has at most. */
        limit?: number;
        /** @description Words of its name, its vendor or what it does. */
        q?: string;
        /** @description `verified`: a page of the vendor was read within a year. `corroborated`: two independent sources agree. `listed`: one source, by which no link starts until the operator has taken it into the integrations file. */
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
        /** @description The `nextCursor` of the page before. */
        cursor?: string;
        /** @description How many items a page has at most. */
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
        /** @description The `nextCursor` of the page before. */
        cursor?: string;
        /** @description How many items a page has at most. */
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
        /** @description The `nextCursor` of the page before. */
        cursor?: string;
        /** @description How many items a page has at most. */
        limit?: number;
        /** @description Which of them come first. */
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
        /** @description The `nextCursor` of the page before. */
        cursor?: string;
        /** @description How many items a page has at most. */
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
        /** @description Which pages it is for: `light` or `dark` ones. */
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
        /** @description Which pages it is for: `light` or `dark` ones. */
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
  listWebhookDeliveries: {
    parameters: {
      query?: {
        /** @description The `nextCursor` of the page before. */
        cursor?: string;
        /** @description How many items a page has at most. */
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
