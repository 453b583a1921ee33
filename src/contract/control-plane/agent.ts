import type { z } from 'zod'
import { deployed, input } from '../resource.ts'
import { Drives, IntegrationConnections, WorkloadSpec } from './runtime.ts'

const Spec = WorkloadSpec.extend({ integrationConnections: IntegrationConnections, drives: Drives })

export const AgentInput = input(Spec)
export const Agent = deployed(Spec)
export type Agent = z.infer<typeof Agent>
