import type { z } from 'zod'
import { deployed, input } from '../resource.ts'
import { IntegrationConnections, WorkloadSpec } from './runtime.ts'

const Spec = WorkloadSpec.extend({ integrationConnections: IntegrationConnections })

export const AgentInput = input(Spec)
export const Agent = deployed(Spec)
export type Agent = z.infer<typeof Agent>
