// How each operation is called with `@causeway/client`, for the reference. A test runs every one of them.

/** By operation id. `body` stands for the example of the request, an id for one that looks like it. */
const calls: Record<string, string> = {
  listTenants: 'tenants.list()',
  createTenant: 'tenants.create(body)',
  getTenant: 'tenants.get(tenantId)',
  putTenant: 'tenants.put(tenantId, body)',
  updateTenant: 'tenants.update(tenantId, body)',
  suspendTenant: 'tenants.suspend(tenantId)',
  reactivateTenant: 'tenants.reactivate(tenantId)',
  putLogo: 'tenants.putLogo(tenantId, colorScheme, body)',
  deleteLogo: 'tenants.deleteLogo(tenantId, colorScheme)',
  exportTenant: 'tenants.export(tenantId)',
  deleteTenant: 'tenants.delete(tenantId)',
  getTenantDeletion: 'tenants.getDeletion(tenantId)',
  rotateSigningSecret: 'tenants.rotateSigningSecret(tenantId, body)',
  listIntegrations: 'integrations.list()',
  listOAuthClients: 'integrations.listClients(tenantId)',
  putOAuthClient: 'integrations.putClient(tenantId, integrationId, body)',
  deleteOAuthClient: 'integrations.deleteClient(tenantId, integrationId)',
  getConnectSession: 'connectSessions.get(connectSessionId)',
  cancelConnectSession: 'connectSessions.cancel(connectSessionId)',
  createManageSession: 'manageSessions.create(body)',
  getManageSession: 'manageSessions.get(manageSessionId)',
  revokeManageSession: 'manageSessions.revoke(manageSessionId)',
  listLinks: 'links.list()',
  getLink: 'links.get(linkId)',
  resumeLink: 'links.resume(linkId, body)',
  createLinkResumption: 'links.resumeByCause(body)',
  listConnections: 'connections.list()',
  getConnection: 'connections.get(connectionId)',
  createHealthCheck: 'connections.checkHealth(connectionId, body)',
  getConnectionHealth: 'connections.getHealth(connectionId)',
  verifyConnection: 'connections.verify(connectionId, body)',
  rollBackConnection: 'connections.rollback(connectionId, body)',
  disconnectConnection: 'connections.disconnect(connectionId, body)',
  getConnectionTask: 'connections.getTask(connectionId, taskId)',
  createFunctionLogin: 'connections.createFunctionLogin(connectionId)',
  listFunctionGrants: 'connections.listFunctionGrants(connectionId)',
  revokeFunctionGrant: 'connections.revokeFunctionGrant(connectionId, grantId)',
  readToolList: 'connections.getToolList(connectionId)',
  approveToolList: 'connections.approveToolList(connectionId, body)',
  createImport: 'imports.create(body)',
  listImports: 'imports.list()',
  getImport: 'imports.get(importId)',
  addImportRows: 'imports.addRows(importId, body)',
  listImportRows: 'imports.listRows(importId)',
  cancelImport: 'imports.cancel(importId)',
  createCampaign: 'campaigns.create(body)',
  listCampaigns: 'campaigns.list()',
  getCampaign: 'campaigns.get(campaignId)',
  listCampaignMembers: 'campaigns.listMembers(campaignId)',
  cancelCampaign: 'campaigns.cancel(campaignId, body)',
  createWebhook: 'webhooks.create(tenantId, body)',
  listWebhooks: 'webhooks.list(tenantId)',
  deleteWebhook: 'webhooks.delete(tenantId, webhookId)',
  rotateWebhookSecret: 'webhooks.rotateSecret(tenantId, webhookId)',
  enableWebhook: 'webhooks.enable(tenantId, webhookId)',
  disableWebhook: 'webhooks.disable(tenantId, webhookId)',
  listWebhookDeliveries: 'webhooks.listDeliveries(tenantId)',
  replayWebhookDelivery: 'webhooks.replayDelivery(tenantId, deliveryId)',
  listEvents: 'events.list(tenantId)',
  triggerEvent: 'events.trigger(tenantId, body)',
  listAuditEntries: 'audit.list()',
  createErasure: 'erasures.create(body)',
  listErasures: 'erasures.list()',
  getErasure: 'erasures.get(erasureId)',
}

const ids: Record<string, string> = {
  tenantId: 'acme',
  colorScheme: 'light',
  integrationId: 'gmail',
  connectSessionId: 'ses_06gxytkrc2v8t1n5m0q7d9hj4w',
  manageSessionId: 'msn_06gxytm0a1b2c3d4e5f6g7h8j9',
  linkId: 'lnk_06gxytktsx4pfczwby539m3g5r',
  connectionId: 'con_06gxytkv1n6z3c8p2r5s7t9w0x',
  taskId: 'tsk_06gxytm1k2m3n4p5q6r7s8t9v0',
  grantId: 'grant_8f2c',
  importId: 'imp_06gxytm2w3x4y5z6a7b8c9d0e1',
  campaignId: 'cmp_06gxytm3f4g5h6j7k8m9n0p1q2',
  webhookId: 'whk_06gxytm4r5s6t7v8w9x0y1z2a3',
  deliveryId: 'dlv_06gxytm5b6c7d8e9f0g1h2j3k4',
  erasureId: 'era_06gxytm6m5n6p7q8r9s0t1v2w3',
}

/** `params`: the names in its path. */
export function clientSample(operationId: string, params: readonly string[], example: unknown): string {
  if (operationId === 'createConnectSession') return beginning(example)
  if (operationId === 'createRelinkSession') return beginningAgain(example)
  if (operationId === 'completeConnectSession') return finishing
  const call = calls[operationId]
  if (!call) return sending(operationId, params, example)
  const written = `causeway.${call.replace(/\b(\w+)(?=[,)])/g, (name) => (name === 'body' ? literal(example) : literal(ids[name])))}`
  return /\.(?:list\w*|export)\(/.test(call)
    ? `for await (const item of ${written}) console.log(item)`
    : `console.log(await ${written})`
}

/** The client makes the challenge itself. */
function beginning(example: unknown): string {
  const { completionChallenge: _made, ...request } = example as Record<string, unknown>
  return `const { url, state } = await causeway.connect.begin(${literal(request)})
// Keep \`state\` in the session of this user, and redirect their browser to \`url\`.`
}

/** Two calls make one: of a user who is there, and of one who is written to. */
function beginningAgain(example: unknown): string {
  const request = { reason: 'the user reconnects', returnUrl: 'https://app.acme.example/integrations/return' }
  return `// The user is here now. Keep \`state\` in their session, and redirect their browser to \`url\`.
const { url, state } = await causeway.connect.beginRelink('${ids.connectionId}', ${literal(request)})

// Or a URL to send by email: nothing is left to finish when its user comes back.
const sent = await causeway.connections.createRelinkSession('${ids.connectionId}', ${literal(example)})`
}

const finishing = `// The query of your return URL, and the \`state\` that you kept in the session of this user.
const link = await causeway.connect.finish(query, state)`

/** For an operation that has no method of its own. */
function sending(operationId: string, params: readonly string[], body: unknown): string {
  const named = Object.fromEntries(params.map((name) => [name, ids[name] ?? 'id']))
  const input = { ...(params.length > 0 && { params: named }), ...(body !== undefined && { body }) }
  return `console.log(await causeway.send('${operationId}', ${literal(input)}))`
}

/** A value as it is written in a program. */
function literal(value: unknown, indent = ''): string {
  if (typeof value === 'string') return `'${value.replaceAll(/['\\]/g, '\\$&')}'`
  const inner = `${indent}  `
  if (Array.isArray(value)) return `[${value.map((item) => literal(item, indent)).join(', ')}]`
  if (typeof value !== 'object' || value === null) return String(value ?? '{}')
  const members = Object.entries(value).map(([name, member]) => `${inner}${name}: ${literal(member, inner)},\n`)
  return members.length === 0 ? '{}' : `{\n${members.join('')}${indent}}`
}
