// `npm run causeway -- sample`: a month of history that was made up, for a demo. Everything of it belongs to tenants whose
// ids begin with sample-.
import { openPool } from '../../kit/database/pool.ts'
import { StartError } from '../../kit/process/start-error.ts'
import type { World } from '../compose.ts'
import type { Config } from '../config.ts'
import type { Actor } from '../domain/audit/audit.ts'
import { type TenantEventName, tenantEventNames } from '../domain/tenant-event.ts'
import type { Flows } from '../flows.ts'
import { sampleAdmin, sampleTenants, suspendedTenant, tenantOfDisabledEndpoint } from './sample/cast.ts'
import { sampleDays, sampleHistory } from './sample/history.ts'
import { writeHistory } from './sample/write.ts'

const operator: Actor = { kind: 'operator' }
const caller = { keyId: 'operator', tenant: undefined }

const events = tenantEventNames.filter((name): name is TenantEventName => name !== 'tenant.deleted')

type Needs = { world: World; flows: Flows; config: Pick<Config, 'publicUrl' | 'databaseUrl'>; now?: Date }

/** Returns how many tenants were added: none if they are there already. */
export async function addSample({ world, flows, config, now = new Date() }: Needs): Promise<number> {
  assertDemo(config)
  if (await world.tenants.find(sampleTenants[0].id)) return 0
  const webhooks = new Map<string, string>()
  for (const tenant of sampleTenants) webhooks.set(tenant.id, await addTenant(flows, tenant))
  const webhookOf = (tenant: string) => webhooks.get(tenant) ?? ''
  const history = sampleHistory({ now, tokens: world.tokens, webhookOf })
  const pool = openPool(config.databaseUrl, { connections: 1 })
  try {
    await writeHistory(pool, history, new Date(now.getTime() - (sampleDays + 5) * 86_400_000))
  } finally {
    await pool.end()
  }
  await endWell({ world, flows, webhookOf })
  return sampleTenants.length
}

/** Nobody can take it out again: what stands in the audit log stays there. */
function assertDemo({ publicUrl }: Pick<Config, 'publicUrl'>): void {
  const { hostname } = new URL(publicUrl)
  if (hostname === 'localhost' || hostname.endsWith('.localhost') || hostname === '127.0.0.1' || hostname === '[::1]')
    return
  throw new StartError(
    'sample data is for a demo on this machine alone, and cannot be removed: PUBLIC_URL is not local',
  )
}

async function addTenant(flows: Flows, { id, displayName }: { id: string; displayName: string }): Promise<string> {
  const tenant = { id, displayName, workspace: id, returnUrls: [`https://${id}.example/connected`] }
  await flows.putTenant({ caller, actor: operator, tenant })
  const url = `https://hooks.${id}.example/causeway`
  const { webhook } = await flows.createWebhook({ caller, actor: operator, tenant: id, url, events, claim: undefined })
  return webhook.id
}

/** What is true today is done as it always is. */
async function endWell({
  world,
  flows,
  webhookOf,
}: Pick<Needs, 'world' | 'flows'> & { webhookOf(tenant: string): string }) {
  const campaign = { cause: 'grant_revoked', integration: 'filebox', testMode: false } as const
  await flows.startCampaign({ ...campaign, tenant: undefined, actor: sampleAdmin, reason: 'Users changed passwords' })
  const suspended = { caller, actor: sampleAdmin, id: suspendedTenant, reason: 'Unpaid since last month' }
  await flows.suspendTenant(suspended)
  const endpoint = { tenant: tenantOfDisabledEndpoint, id: webhookOf(tenantOfDisabledEndpoint) }
  await world.webhooks.disable(endpoint, {
    action: 'webhook.disabled',
    actor: { kind: 'worker' },
    subject: { kind: 'webhook', id: endpoint.id },
    tenant: endpoint.tenant,
    facts: { receiverGone: true },
  })
}
