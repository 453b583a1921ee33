import { createCauseway } from '@causeway/client'

const { CAUSEWAY_URL, CAUSEWAY_API_KEY, PORT = '4000' } = process.env

export const { CAUSEWAY_TENANT: tenantId, INTEGRATION: integrationId = 'gmail' } = process.env
export const appUrl = process.env.APP_URL ?? `http://localhost:${PORT}`

let client
let names

/** Created on first use, because `next build` runs without settings. */
export function causeway() {
  client ??= createCauseway({ url: CAUSEWAY_URL, apiKey: CAUSEWAY_API_KEY })
  return client
}

export async function appNames() {
  if (names) return names
  const apps = await causeway().integrations.list({ available: 'true' }).toArray()
  names = Object.fromEntries(apps.map(({ id, displayName }) => [id, displayName]))
  return names
}
