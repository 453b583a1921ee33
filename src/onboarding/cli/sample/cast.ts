// Who and what the sample is about. Every name says that it is one.
import type { Actor } from '../../domain/audit/audit.ts'

export const samplePrefix = 'sample-'

export type SampleTenant = { id: string; displayName: string; users: number; weight: number }

const tenant = (name: string, users: number, weight: number): SampleTenant => ({
  id: `${samplePrefix}${name.toLowerCase()}`,
  displayName: `${name} (sample)`,
  users,
  weight,
})

export const sampleTenants = [
  tenant('Books', 60, 30),
  tenant('Clinic', 35, 18),
  tenant('Freight', 40, 20),
  tenant('School', 80, 16),
  tenant('Studio', 20, 10),
  tenant('Travel', 25, 6),
] as const

/** Shown as suspended, with the history it had until then. */
export const suspendedTenant = `${samplePrefix}travel`

/** Its endpoint answered 410 and was disabled. */
export const tenantOfDisabledEndpoint = `${samplePrefix}studio`

export const sampleIntegrations = [
  { id: 'filebox', weight: 40, scopes: ['openid', 'email', 'files.read', 'files.write'] },
  { id: 'gmail', weight: 26, scopes: ['openid', 'email', 'https://www.googleapis.com/auth/gmail.readonly'] },
  { id: 'slack', weight: 14, scopes: ['channels:read', 'chat:write'] },
  { id: 'github', weight: 12, scopes: ['repo', 'read:user'] },
  { id: 'notion', weight: 8, scopes: ['read_content'] },
] as const

/** The one whose OAuth client was rejected for two days, which a campaign mended. */
export const integrationOfIncident = 'gmail'

/** As in the console of the demo, under subjects that nobody can sign in with. */
export const sampleAgent: Actor = { kind: 'support', id: 'sample-agent', name: 'agent@causeway.example' }
export const sampleAdmin: Actor = { kind: 'support', id: 'sample-admin', name: 'admin@causeway.example' }
