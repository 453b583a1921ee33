// For whoever builds something of their own against the demo: a key of test mode, and a tenant to use it with.
import { join } from 'node:path'
import { z } from 'zod'
import { StartError } from '../kit/process/start-error.ts'
import { runCommand } from './child-program.ts'
import { identityOf } from './first-data.ts'
import { readJson, writePrivate, writePrivateText } from './kept-secrets.ts'
import type { Stores } from './stores.ts'

const CreatedKey = z.object({ key: z.string() })
const KeptKey = CreatedKey.extend({ madeFor: z.string() })

type Needs = { folder: string; stores: Stores; onboardingEnvironment: Record<string, string> }

/** Made once per set of databases, and kept: it is shown only once. */
export async function developerKey({ folder, stores, onboardingEnvironment }: Needs): Promise<string> {
  const file = join(folder, 'developer-key.json')
  const kept = KeptKey.safeParse(readJson(file))
  const madeFor = identityOf(stores)
  if (kept.success && kept.data.madeFor === madeFor) return kept.data.key
  const created = await runCommand(
    'onboarding',
    ['keys', 'create', '--name', 'developer', '--test'],
    onboardingEnvironment,
  )
  const { key } = CreatedKey.parse(created)
  writePrivate(file, { madeFor, key })
  return key
}

const tenant = 'test_acme'

/** Where the examples and the guide return to. */
const returnUrls = ['http://localhost:4000/connected']

/** The tenant is made once, so that it stays as its developer changes it. */
export async function prepareDeveloper(folder: string, causeway: string, apiKey: string): Promise<void> {
  const at = `${causeway}/api/v1/tenants/${tenant}`
  const headers = { Authorization: `Bearer ${apiKey}`, 'Content-Type': 'application/json' }
  if ((await fetch(at, { headers })).status === 404) {
    const body = JSON.stringify({ workspace: 'acme', displayName: 'Acme', returnUrls })
    const { ok, status } = await fetch(at, { method: 'PUT', headers, body })
    if (!ok) throw new StartError(`Causeway refused the tenant for developers (${status}): npm run reset begins anew`)
  }
  const settings = [`CAUSEWAY_URL=${causeway}`, `CAUSEWAY_API_KEY=${apiKey}`, `CAUSEWAY_TENANT=${tenant}`]
  writePrivateText(developerFile(folder), `${settings.join('\n')}\n`)
}

export const developerFile = (folder: string): string => join(folder, 'developer.env')
