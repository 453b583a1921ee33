// Generated from the OpenAPI document by `npm run generate`. Not to be edited.
import { List, type ListQuery } from './lists.ts'
import type { CallOptions, Send } from './transport.ts'
import type { Body, Query } from './types.ts'

export const generatedResources = (send: Send) => ({
  tenants: {
    list: (query?: ListQuery<'listTenants'>, options?: CallOptions) =>
      new List(send, 'listTenants', { query }, options),
    /** `signingSecret` of the response is shown only once. */
    create: (body: Body<'createTenant'>, options?: CallOptions) =>
      send('createTenant', { body }, options),
    get: (tenantId: string, options?: CallOptions) =>
      send('getTenant', { params: { tenantId } }, options),
    /** Creates or replaces a tenant with an ID of your choice. */
    put: (tenantId: string, body: Body<'putTenant'>, options?: CallOptions) =>
      send('putTenant', { params: { tenantId }, body }, options),
    /** Absent members are unchanged. Not retried. */
    update: (tenantId: string, body: Body<'updateTenant'>, options?: CallOptions) =>
      send('updateTenant', { params: { tenantId }, body }, options),
    rotateSigningSecret: (tenantId: string, body: Body<'rotateSigningSecret'> = {}, options?: CallOptions) =>
      send('rotateSigningSecret', { params: { tenantId }, body }, options),
    /** Rejects new links. Existing connections continue to work. */
    suspend: (tenantId: string, options?: CallOptions) =>
      send('suspendTenant', { params: { tenantId } }, options),
    reactivate: (tenantId: string, options?: CallOptions) =>
      send('reactivateTenant', { params: { tenantId } }, options),
    /** Permanently deletes the tenant and its connections. `waitForDeletion` waits for the result. */
    delete: (tenantId: string, options?: CallOptions) =>
      send('deleteTenant', { params: { tenantId } }, options),
    getDeletion: (tenantId: string, options?: CallOptions) =>
      send('getTenantDeletion', { params: { tenantId } }, options),
    getToolPolicy: (tenantId: string, options?: CallOptions) =>
      send('readTenantToolPolicy', { params: { tenantId } }, options),
    putToolPolicy: (tenantId: string, body: Body<'putTenantToolPolicy'>, options?: CallOptions) =>
      send('putTenantToolPolicy', { params: { tenantId }, body }, options),
    deleteToolPolicy: (tenantId: string, { ifVersion, reason, ...options }: CallOptions & Query<'deleteTenantToolPolicy'> = {}) =>
      send('deleteTenantToolPolicy', { params: { tenantId }, query: { ifVersion, reason } }, options),
    listToolPolicyVersions: (tenantId: string, query?: ListQuery<'listTenantToolPolicyVersions'>, options?: CallOptions) =>
      new List(send, 'listTenantToolPolicyVersions', { params: { tenantId }, query }, options),
    rollBackToolPolicy: (tenantId: string, body: Body<'rollBackTenantToolPolicy'>, options?: CallOptions) =>
      send('rollBackTenantToolPolicy', { params: { tenantId }, body }, options),
    /** `image` is a PNG, JPEG or WebP file in base64. */
    putLogo: (tenantId: string, colorScheme: 'light' | 'dark', body: Body<'putLogo'>, options?: CallOptions) =>
      send('putLogo', { params: { tenantId, colorScheme }, body }, options),
    deleteLogo: (tenantId: string, colorScheme: 'light' | 'dark', options?: CallOptions) =>
      send('deleteLogo', { params: { tenantId, colorScheme } }, options),
    /** Exports all data of the tenant, one record per item. */
    export: (tenantId: string, query?: ListQuery<'exportTenant'>, options?: CallOptions) =>
      new List(send, 'exportTenant', { params: { tenantId }, query }, options),
  },
  integrations: {
    list: (query?: ListQuery<'listIntegrations'>, options?: CallOptions) =>
      new List(send, 'listIntegrations', { query }, options),
    getSettings: (integrationId: string, options?: CallOptions) =>
      send('readIntegrationSettings', { params: { integrationId } }, options),
    putSettings: (integrationId: string, body: Body<'putIntegrationSettings'>, options?: CallOptions) =>
      send('putIntegrationSettings', { params: { integrationId }, body }, options),
    deleteSettings: (integrationId: string, { ifVersion, breakConnections, reason, ...options }: CallOptions & Query<'deleteIntegrationSettings'> = {}) =>
      send('deleteIntegrationSettings', { params: { integrationId }, query: { ifVersion, breakConnections, reason } }, options),
    listSettingsVersions: (integrationId: string, query?: ListQuery<'listIntegrationSettingsVersions'>, options?: CallOptions) =>
      new List(send, 'listIntegrationSettingsVersions', { params: { integrationId }, query }, options),
    rollBackSettings: (integrationId: string, body: Body<'rollBackIntegrationSettings'>, options?: CallOptions) =>
      send('rollBackIntegrationSettings', { params: { integrationId }, body }, options),
    /** Lists the tenant's OAuth clients, without secrets. */
    listClients: (tenantId: string, options?: CallOptions) =>
      new List(send, 'listOAuthClients', { params: { tenantId } }, options),
    putClient: (tenantId: string, integrationId: string, body: Body<'putOAuthClient'>, options?: CallOptions) =>
      send('putOAuthClient', { params: { tenantId, integrationId }, body }, options),
    deleteClient: (tenantId: string, integrationId: string, options?: CallOptions) =>
      send('deleteOAuthClient', { params: { tenantId, integrationId } }, options),
  },
  connections: {
    getToolPolicy: (connectionId: string, options?: CallOptions) =>
      send('readConnectionToolPolicy', { params: { connectionId } }, options),
    putToolPolicy: (connectionId: string, body: Body<'putConnectionToolPolicy'>, options?: CallOptions) =>
      send('putConnectionToolPolicy', { params: { connectionId }, body }, options),
    deleteToolPolicy: (connectionId: string, { ifVersion, reason, ...options }: CallOptions & Query<'deleteConnectionToolPolicy'> = {}) =>
      send('deleteConnectionToolPolicy', { params: { connectionId }, query: { ifVersion, reason } }, options),
    listToolPolicyVersions: (connectionId: string, query?: ListQuery<'listConnectionToolPolicyVersions'>, options?: CallOptions) =>
      new List(send, 'listConnectionToolPolicyVersions', { params: { connectionId }, query }, options),
    rollBackToolPolicy: (connectionId: string, body: Body<'rollBackConnectionToolPolicy'>, options?: CallOptions) =>
      send('rollBackConnectionToolPolicy', { params: { connectionId }, body }, options),
    getLoginToolPolicy: (connectionId: string, grantId: string, options?: CallOptions) =>
      send('readLoginToolPolicy', { params: { connectionId, grantId } }, options),
    putLoginToolPolicy: (connectionId: string, grantId: string, body: Body<'putLoginToolPolicy'>, options?: CallOptions) =>
      send('putLoginToolPolicy', { params: { connectionId, grantId }, body }, options),
    deleteLoginToolPolicy: (connectionId: string, grantId: string, { ifVersion, reason, ...options }: CallOptions & Query<'deleteLoginToolPolicy'> = {}) =>
      send('deleteLoginToolPolicy', { params: { connectionId, grantId }, query: { ifVersion, reason } }, options),
    listLoginToolPolicyVersions: (connectionId: string, grantId: string, query?: ListQuery<'listLoginToolPolicyVersions'>, options?: CallOptions) =>
      new List(send, 'listLoginToolPolicyVersions', { params: { connectionId, grantId }, query }, options),
    rollBackLoginToolPolicy: (connectionId: string, grantId: string, body: Body<'rollBackLoginToolPolicy'>, options?: CallOptions) =>
      send('rollBackLoginToolPolicy', { params: { connectionId, grantId }, body }, options),
    /** The user links an account when an MCP client first calls the function. */
    create: (body: Body<'createConnection'>, options?: CallOptions) =>
      send('createConnection', { body }, options),
    list: (query?: ListQuery<'listConnections'>, options?: CallOptions) =>
      new List(send, 'listConnections', { query }, options),
    /** `locale` is the language of `causeForUser`. Default: English. */
    get: (connectionId: string, { locale, ...options }: CallOptions & Query<'getConnection'> = {}) =>
      send('getConnection', { params: { connectionId }, query: { locale } }, options),
    /** Send `url` of the response to the user. For a signed-in user and `finish`, use `connect.beginRelink`. */
    createRelinkSession: (connectionId: string, body: Body<'createRelinkSession'>, options?: CallOptions) =>
      send('createRelinkSession', { params: { connectionId }, body }, options),
    /** Changes the alias and the labels. */
    update: (connectionId: string, body: Body<'updateConnection'>, options?: CallOptions) =>
      send('updateConnection', { params: { connectionId }, body }, options),
    /** Runs a health check, which uses the connection once. */
    checkHealth: (connectionId: string, body: Body<'createHealthCheck'>, options?: CallOptions) =>
      send('createHealthCheck', { params: { connectionId }, body }, options),
    /** Returns the connection and its last checks. */
    getHealth: (connectionId: string, { locale, ...options }: CallOptions & Query<'getConnectionHealth'> = {}) =>
      send('getConnectionHealth', { params: { connectionId }, query: { locale } }, options),
    /** Lists the tools of the function. Does not use the grant. */
    verify: (connectionId: string, body: Body<'verifyConnection'>, options?: CallOptions) =>
      send('verifyConnection', { params: { connectionId }, body }, options),
    /** Redirect the signed-in user to `url` of the response, to open the function in their MCP client. */
    createFunctionLogin: (connectionId: string, body: Body<'createFunctionLogin'> = {}, options?: CallOptions) =>
      send('createFunctionLogin', { params: { connectionId }, body }, options),
    /** Call it when the user logs out of your product everywhere. */
    endFunctionLogins: (connectionId: string, options?: CallOptions) =>
      send('endFunctionLogins', { params: { connectionId } }, options),
    /** Lists the MCP clients that the user has allowed. */
    listFunctionGrants: (connectionId: string, options?: CallOptions) =>
      new List(send, 'listFunctionGrants', { params: { connectionId } }, options),
    revokeFunctionGrant: (connectionId: string, grantId: string, options?: CallOptions) =>
      send('revokeFunctionGrant', { params: { connectionId, grantId } }, options),
    /** Prefer `connections.fetch`, which needs no token. */
    getAccessToken: (connectionId: string, { host, ...options }: CallOptions & Query<'getAccessToken'> = {}) =>
      send('getAccessToken', { params: { connectionId }, query: { host } }, options),
    /** Returns the tools of the vendor's MCP server: those that agents see and those pending approval. */
    getToolList: (connectionId: string, options?: CallOptions) =>
      send('readToolList', { params: { connectionId } }, options),
    /** Approves a change by the hash of `pending` in the tool list. */
    approveToolList: (connectionId: string, body: Body<'approveToolList'>, options?: CallOptions) =>
      send('approveToolList', { params: { connectionId }, body }, options),
    /** Lists the tool calls of the last 30 days that a person had to allow, newest first. */
    listApprovals: (connectionId: string, options?: CallOptions) =>
      new List(send, 'listApprovals', { params: { connectionId } }, options),
    /** Restores the grant from before the last re-link. `waitForTask` waits for the result. */
    rollback: (connectionId: string, body: Body<'rollBackConnection'>, options?: CallOptions) =>
      send('rollBackConnection', { params: { connectionId }, body }, options),
    /** Permanently revokes the grant and removes the connection. `waitForTask` waits for the result. */
    disconnect: (connectionId: string, body: Body<'disconnectConnection'>, options?: CallOptions) =>
      send('disconnectConnection', { params: { connectionId }, body }, options),
    getTask: (connectionId: string, taskId: string, options?: CallOptions) =>
      send('getConnectionTask', { params: { connectionId, taskId } }, options),
  },
  connectSessions: {
    create: (body: Body<'createConnectSession'>, options?: CallOptions) =>
      send('createConnectSession', { body }, options),
    get: (connectSessionId: string, options?: CallOptions) =>
      send('getConnectSession', { params: { connectSessionId } }, options),
    /** Invalidates the URL. */
    cancel: (connectSessionId: string, body: Body<'cancelConnectSession'> = {}, options?: CallOptions) =>
      send('cancelConnectSession', { params: { connectSessionId }, body }, options),
    complete: (connectSessionId: string, body: Body<'completeConnectSession'>, options?: CallOptions) =>
      send('completeConnectSession', { params: { connectSessionId }, body }, options),
  },
  links: {
    list: (query?: ListQuery<'listLinks'>, options?: CallOptions) =>
      new List(send, 'listLinks', { query }, options),
    get: (linkId: string, options?: CallOptions) =>
      send('getLink', { params: { linkId } }, options),
    /** Resumes a link with the status `needs_attention`, after its cause was fixed. */
    resume: (linkId: string, body: Body<'resumeLink'> = {}, options?: CallOptions) =>
      send('resumeLink', { params: { linkId }, body }, options),
    /** Resumes all links that need attention for one cause. Requires a deployment key. */
    resumeByCause: (body: Body<'createLinkResumption'>, options?: CallOptions) =>
      send('createLinkResumption', { body }, options),
  },
  imports: {
    create: (body: Body<'createImport'>, options?: CallOptions) =>
      send('createImport', { body }, options),
    list: (query?: ListQuery<'listImports'>, options?: CallOptions) =>
      new List(send, 'listImports', { query }, options),
    get: (importId: string, options?: CallOptions) =>
      send('getImport', { params: { importId } }, options),
    cancel: (importId: string, options?: CallOptions) =>
      send('cancelImport', { params: { importId } }, options),
    /** Max 500 rows per call. Rows are idempotent by `key`. */
    addRows: (importId: string, body: Body<'addImportRows'>, options?: CallOptions) =>
      send('addImportRows', { params: { importId }, body }, options),
    /** Lists rows with their results. */
    listRows: (importId: string, query?: ListQuery<'listImportRows'>, options?: CallOptions) =>
      new List(send, 'listImportRows', { params: { importId }, query }, options),
  },
  manageSessions: {
    /** Redirect the user's browser to `url` immediately. Don't send or store the URL. */
    create: (body: Body<'createManageSession'>, options?: CallOptions) =>
      send('createManageSession', { body }, options),
    get: (manageSessionId: string, options?: CallOptions) =>
      send('getManageSession', { params: { manageSessionId } }, options),
    /** Ends the session immediately. */
    revoke: (manageSessionId: string, options?: CallOptions) =>
      send('revokeManageSession', { params: { manageSessionId } }, options),
  },
  campaigns: {
    /** The response has one URL per user. The URLs are secrets and are shown only once. */
    create: (body: Body<'createCampaign'>, options?: CallOptions) =>
      send('createCampaign', { body }, options),
    list: (query?: ListQuery<'listCampaigns'>, options?: CallOptions) =>
      new List(send, 'listCampaigns', { query }, options),
    get: (campaignId: string, options?: CallOptions) =>
      send('getCampaign', { params: { campaignId } }, options),
    /** Lists the connections of a campaign with their results. */
    listMembers: (campaignId: string, query?: ListQuery<'listCampaignMembers'>, options?: CallOptions) =>
      new List(send, 'listCampaignMembers', { params: { campaignId }, query }, options),
    cancel: (campaignId: string, body: Body<'cancelCampaign'>, options?: CallOptions) =>
      send('cancelCampaign', { params: { campaignId }, body }, options),
  },
  webhooks: {
    /** `secret` of the response is shown only once. */
    create: (tenantId: string, body: Body<'createWebhook'>, options?: CallOptions) =>
      send('createWebhook', { params: { tenantId }, body }, options),
    list: (tenantId: string, options?: CallOptions) =>
      new List(send, 'listWebhooks', { params: { tenantId } }, options),
    delete: (tenantId: string, webhookId: string, options?: CallOptions) =>
      send('deleteWebhook', { params: { tenantId, webhookId } }, options),
    /** Messages are also signed with the previous secret for one day. */
    rotateSecret: (tenantId: string, webhookId: string, options?: CallOptions) =>
      send('rotateWebhookSecret', { params: { tenantId, webhookId } }, options),
    /** Enables an endpoint that was disabled, for example by a 410 response. */
    enable: (tenantId: string, webhookId: string, options?: CallOptions) =>
      send('enableWebhook', { params: { tenantId, webhookId } }, options),
    /** Stops deliveries until the endpoint is enabled. Pending deliveries are not retried. */
    disable: (tenantId: string, webhookId: string, options?: CallOptions) =>
      send('disableWebhook', { params: { tenantId, webhookId } }, options),
    listDeliveries: (tenantId: string, query?: ListQuery<'listWebhookDeliveries'>, options?: CallOptions) =>
      new List(send, 'listWebhookDeliveries', { params: { tenantId }, query }, options),
    replayDelivery: (tenantId: string, deliveryId: string, body: Body<'replayWebhookDelivery'> = {}, options?: CallOptions) =>
      send('replayWebhookDelivery', { params: { tenantId, deliveryId }, body }, options),
  },
  events: {
    /** Oldest first. `pages` of the list continues after the `cursor` of an event. */
    list: (tenantId: string, query?: ListQuery<'listEvents'>, options?: CallOptions) =>
      new List(send, 'listEvents', { params: { tenantId }, query }, options),
    /** Creates an event with sample data. Test mode only. */
    trigger: (tenantId: string, body: Body<'triggerEvent'>, options?: CallOptions) =>
      send('triggerEvent', { params: { tenantId }, body }, options),
  },
  audit: {
    list: (query?: ListQuery<'listAuditEntries'>, options?: CallOptions) =>
      new List(send, 'listAuditEntries', { query }, options),
    /** Oldest first, with the hashes of the audit chain. */
    listRecords: (query?: ListQuery<'listAuditRecords'>, options?: CallOptions) =>
      new List(send, 'listAuditRecords', { query }, options),
    getHead: ({ tenantId, ...options }: CallOptions & Query<'getAuditHead'> = {}) =>
      send('getAuditHead', { query: { tenantId } }, options),
  },
  erasures: {
    /** Cannot be undone. Keep the ID: the event refers to it. `waitFor` waits for the result. */
    create: (body: Body<'createErasure'>, options?: CallOptions) =>
      send('createErasure', { body }, options),
    list: (query?: ListQuery<'listErasures'>, options?: CallOptions) =>
      new List(send, 'listErasures', { query }, options),
    get: (erasureId: string, options?: CallOptions) =>
      send('getErasure', { params: { erasureId } }, options),
  },
})
