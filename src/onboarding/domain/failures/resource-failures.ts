import type { FailureEntry } from './failure-entry.ts'

export const resourceFailures = {
  workspace_taken: {
    status: 409,
    title: 'Workspace taken',
    whoseMove: 'tenant',
    explanation: 'Another tenant already has this workspace.',
  },
  workspace_unknown: {
    status: 422,
    title: 'Workspace not on the platform',
    whoseMove: 'operator',
    explanation:
      'The platform has no workspace of this name that the deployment’s key can enter. Create it there, or correct the name. While the platform is not responding, the workspace is not checked: the tenant is accepted, and its links wait.',
    forSupport: {
      title: 'The platform has no such workspace',
      advice:
        'Nothing was saved. Check the name. If it’s right, the operator has to create the workspace on the platform and give our key (PLATFORM_API_KEY) access to it. Then send the form again.',
    },
  },
  tenant_exists: {
    status: 409,
    title: 'Tenant exists',
    whoseMove: 'tenant',
    explanation:
      'A tenant with this id exists or existed. Omit the id to get a new one, or change the tenant with `PATCH`.',
  },
  tenant_suspended: {
    status: 403,
    title: 'Tenant suspended',
    whoseMove: 'operator',
    explanation:
      'The operator suspended the tenant: nothing new can be started for it. Its links, connections and functions continue. Ask the operator of the deployment.',
  },
  tenant_deleted: {
    status: 409,
    title: 'Tenant deleted',
    whoseMove: 'tenant',
    explanation:
      'The tenant is being deleted or was deleted. Nothing can be started for it or changed. Its id cannot be reused, because the audit log refers to it.',
  },
  connection_busy: {
    status: 409,
    title: 'Connection is being changed',
    whoseMove: 'tenant',
    explanation:
      'A re-link, rollback or disconnect of this connection is in progress. Wait until it has finished, then try again.',
    forSupport: { title: 'Another change is in progress', advice: 'Nothing was changed. Try again in a minute.' },
  },
  connection_disconnected: {
    status: 409,
    title: 'Connection is disconnected',
    whoseMove: 'tenant',
    explanation: 'The connection was disconnected. Link the account again.',
    forSupport: {
      title: 'This connection was removed',
      advice: 'The user has to connect the account again from the tenant’s app.',
    },
  },
  tool_list_outdated: {
    status: 409,
    title: 'The tools have changed again',
    whoseMove: 'tenant',
    explanation:
      'The MCP server has changed its tools since you read the list, or the change was approved already. Read the list again before you approve it.',
    forSupport: {
      title: 'The tools have changed again',
      advice: 'Nothing was approved. Review the change as it is now, then approve it.',
    },
  },
  rollback_impossible: {
    status: 409,
    title: 'Rollback impossible',
    whoseMove: 'tenant',
    explanation:
      'There is no grant to return to: none was stored, it has expired, the provider has since replaced it, or it belongs to another OAuth client or account. The detail says which.',
    forSupport: { title: 'Can’t roll back', advice: 'Create a reconnect link for the user instead.' },
  },
  campaign_empty: {
    status: 409,
    title: 'No connections for this campaign',
    whoseMove: 'tenant',
    explanation:
      'No connection needs a re-link for this cause and filter, or each already has a working URL of another campaign. Nothing was created. If the file of that campaign was lost, cancel it first.',
    forSupport: {
      title: 'No connections to include',
      advice: 'Choose another cause. If a campaign’s links were lost, cancel that campaign first.',
    },
  },
  import_cancelled: {
    status: 409,
    title: 'The import was cancelled',
    whoseMove: 'tenant',
    explanation: 'The import was cancelled and accepts no more rows. Create another one.',
  },
  platform_unavailable: {
    status: 502,
    title: 'Platform unavailable',
    whoseMove: 'platform',
    explanation: 'The function of the connection is not responding. A health check says more.',
    forSupport: { title: 'The function isn’t responding', advice: 'Nothing was changed. Try again in a minute.' },
  },
  webhook_limit: {
    status: 409,
    title: 'Too many webhook endpoints',
    whoseMove: 'tenant',
    explanation: 'The tenant has reached its limit of webhooks. Delete one.',
  },
  webhook_secret_limit: {
    status: 409,
    title: 'Too many secret rotations',
    whoseMove: 'tenant',
    explanation:
      'The secret was rotated five times within a day, and the five previous ones still sign. The detail says when the oldest of them expires.',
  },
  webhook_disabled: {
    status: 409,
    title: 'Webhook endpoint disabled',
    whoseMove: 'tenant',
    explanation:
      'The webhook was disabled, for example because its receiver responded with 410. Enable it, then replay.',
    forSupport: {
      title: 'The webhook endpoint is disabled',
      advice:
        'Nothing was sent. Once the tenant has fixed the endpoint, an admin can enable it on the tenant’s page, or the tenant by API.',
    },
  },
} as const satisfies Record<string, FailureEntry>
