import { StartError } from '../kit/process/start-error.ts'

type Registration = { causeway: string; apiKey: string; portal: string }

/** At every start: the portal's port, and with it the return address, may be another one than last time. */
export async function registerTenant({ causeway, apiKey, portal }: Registration): Promise<void> {
  const tenant = { workspace: 'acme', displayName: 'Acme', returnUrls: [`${portal}/integrations/return`] }
  const answer = await fetch(`${causeway}/api/v1/tenants/acme`, {
    method: 'PUT',
    headers: { Authorization: `Bearer ${apiKey}`, 'Content-Type': 'application/json' },
    body: JSON.stringify(tenant),
  })
  if (answer.ok) return
  throw new StartError(`Causeway refused the tenant (${answer.status}): npm run reset begins anew`)
}

/** Ready means that its stores and the platform answer too. */
export async function untilReady(causeway: string, timeoutMs = 15_000): Promise<void> {
  for (const deadline = Date.now() + timeoutMs; Date.now() < deadline; ) {
    const answer = await fetch(`${causeway}/readyz`).catch(() => undefined)
    if (answer?.ok) return
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  throw new StartError('Causeway started but does not become ready')
}
