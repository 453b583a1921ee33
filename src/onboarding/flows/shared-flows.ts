import type { SharedPorts } from '../domain/ports/shared.ts'
import { limitRate } from './limit-rate.ts'
import { noteRefusal } from './note-refusal.ts'
import { runIdempotent } from './run-idempotent.ts'

type Ports = SharedPorts

export const sharedFlows = (ports: Ports) => ({
  runIdempotent: runIdempotent(ports),
  limitRate: limitRate(ports),
  noteRefusal: noteRefusal(ports),
})

export type SharedFlows = ReturnType<typeof sharedFlows>
