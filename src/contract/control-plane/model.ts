import type { z } from 'zod'
import { deployed, input } from '../resource.ts'
import { IntegrationConnections, WorkloadSpec } from './runtime.ts'

const Spec = WorkloadSpec.extend({ integrationConnections: IntegrationConnections })

/** A model API. */
export const ModelInput = input(Spec)
export const Model = deployed(Spec)
export type Model = z.infer<typeof Model>
