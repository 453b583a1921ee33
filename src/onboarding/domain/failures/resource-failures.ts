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
      'The platform has no workspace with this name, or the deployment’s key has no access to it. Create it there, or correct the name. While the platform is not responding, the workspace is not checked: the tenant is accepted, and its links wait.',
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
      'A tenant with this ID exists or existed. Omit the ID to get a new one, or change the tenant with `PATCH`.',
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
      'The tenant is being deleted or was deleted. Nothing can be started for the tenant, and its settings cannot be changed. Its ID cannot be reused, because the audit log refers to it.',
  },
  settings_changed: {
    status: 409,
    title: 'Settings have changed',
    whoseMove: 'operator',
    explanation:
      'The settings have another version than `ifVersion`, or somebody else changed them at the same time. Nothing was saved. Read them again, then repeat the change with the version that you read.',
    forSupport: {
      title: 'The settings have changed',
      advice: 'Nothing was saved. Look at the newest version, then repeat your change.',
    },
  },
  settings_break_connections: {
    status: 409,
    title: 'The change breaks connections',
    whoseMove: 'operator',
    explanation:
      'Connections exist that the change would affect; the detail says how many, and what happens to them. Nothing was saved. Send the request again with `breakConnections` if that is intended.',
    forSupport: {
      title: 'This change breaks connections',
      advice: 'Nothing was saved. If you accept what it says, select “Break connections” and send the form again.',
    },
  },
  settings_absent: {
    status: 409,
    title: 'No settings to remove',
    whoseMove: 'operator',
    explanation:
      'The integration has no settings that were changed by API. What the integrations file and the catalogue say can only be replaced.',
    forSupport: { title: 'There is nothing to remove', advice: 'Nothing was changed.' },
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
  connection_not_linked: {
    status: 409,
    title: 'No account is linked yet',
    whoseMove: 'tenant',
    explanation: 'The connection was created without an account. Its user links one when the function is first called.',
    forSupport: {
      title: 'No account is linked yet',
      advice: 'The user connects an account when an app first calls the function, or by a link that you create.',
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
  relay_refused: {
    status: 403,
    title: 'Request not allowed',
    whoseMove: 'operator',
    explanation:
      'The operator’s tool policy does not allow this method or path for the account. Nothing was sent to the app. Ask the operator of the deployment.',
  },
  access_tokens_refused: {
    status: 403,
    title: 'Access token not allowed',
    whoseMove: 'operator',
    explanation:
      'The operator’s tool policy does not allow access tokens of this app for your tenant, or the token of the account does not expire. Call the API through the relay, or ask the operator of the deployment.',
  },
  approval_required: {
    status: 403,
    title: 'Approval required',
    whoseMove: 'user',
    explanation:
      'The operator’s tool policy lets a person decide on this request, and nothing was sent to the app. The detail has the address of the page. Send the same request again after the person has allowed it; it must have the same method, address, headers and body. If the person declined it, do not repeat it.',
  },
  account_unusable: {
    status: 409,
    title: 'Account can’t be used',
    whoseMove: 'tenant',
    explanation:
      'The app no longer accepts the access of this account, or the connection is misconfigured; `detail` says which. If the access has ended, let the user reconnect the account.',
  },
  app_unavailable: {
    status: 502,
    title: 'App not responding',
    whoseMove: 'provider',
    explanation: 'The API of the app did not answer. Try again later.',
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
