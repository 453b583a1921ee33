import type pg from 'pg'
import type { ResolvingFetch } from '../../kit/fetch/guarded-fetch.ts'
import type { DoctorPorts } from '../domain/ports/doctor.ts'
import type { Provider } from '../domain/ports/provider.ts'
import { postgresDoctorLedger } from './adapters/doctor-ledger.ts'
import { providerProbes } from './adapters/provider-probes.ts'

type Parts = { pool: pg.Pool; fetch: ResolvingFetch; provider: Provider }

export const openDoctor = ({ pool, fetch, provider }: Parts, { publicUrl }: { publicUrl: string }): DoctorPorts => ({
  doctorLedger: postgresDoctorLedger(pool),
  probes: providerProbes({ fetch, provider }),
  redirectUri: (id) => `${publicUrl}/oauth/callback/${id}`,
})
