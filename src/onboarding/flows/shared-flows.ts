import type { SharedPorts } from '../domain/ports/shared.ts'
import { limitRate } from './limit-rate.ts'
import { noteRefusal } from './note-refusal.ts'
import { actOnce } from './run-idempotent.ts'

type Ports = SharedPorts

export const sharedFlows = (ports: Ports) => ({
  actOnce: actOnce(ports),
  limitRate: limitRate(ports),
  noteRefusal: noteRefusal(ports),
})

export type SharedFlows = ReturnType<typeof sharedFlows>
