import type pg from 'pg'
import type { GuardedFetch, ProbingFetch } from '../../kit/fetch/guarded-fetch.ts'
import type { DoctorPorts } from '../domain/ports/doctor.ts'
import type { Provider } from '../domain/ports/provider.ts'
import { postgresDoctorLedger } from './adapters/doctor-ledger.ts'
import { ownAddress } from './adapters/own-address.ts'
import { providerProbes } from './adapters/provider-probes.ts'

type Parts = {
  pool: pg.Pool
  fetch: ProbingFetch
  /** May call PUBLIC_URL even if it is a private address. */
  ownFetch: GuardedFetch
  provider: Provider
}

export const openDoctor = (
  { pool, fetch, ownFetch, provider }: Parts,
  { publicUrl, healthSeconds }: { publicUrl: string; healthSeconds: number },
): DoctorPorts => ({
  doctorLedger: postgresDoctorLedger(pool),
  probes: providerProbes(fetch, provider),
  ownAddress: ownAddress(ownFetch, publicUrl),
  healthSeconds,
  redirectUri: (id) => `${publicUrl}/oauth/callback/${id}`,
})
