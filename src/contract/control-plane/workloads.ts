import { z } from 'zod'
import { Flag } from '../query.ts'
import { deployed, input, ResourceName } from '../resource.ts'
import { Duration } from './duration.ts'
import { isLoaderVariable, VariableName } from './environment.ts'
import { Drives, Env, IntegrationConnections, Runtime, StorageMount, TaskVolume, WorkloadSpec } from './runtime.ts'

const AgentSpec = WorkloadSpec.extend({ integrationConnections: IntegrationConnections, drives: Drives })

export const AgentInput = input(AgentSpec)
export const Agent = deployed(AgentSpec)
export type Agent = z.infer<typeof Agent>

/** Of a function: the name before its tools where those of several functions are listed, instead of its own name. */
export const toolPrefixLabel = 'tool-prefix'
export const toolPrefixPattern = /^[a-z0-9]+(?:-+[a-z0-9]+)*$/

const FunctionSpec = WorkloadSpec.extend({
  type: z.string().max(63).default('mcp'),
  integrationConnections: IntegrationConnections,
  drives: Drives,
})

export const McpFunctionInput = input(FunctionSpec)
export type McpFunctionInput = z.input<typeof McpFunctionInput>

export const McpFunction = deployed(FunctionSpec)
export type McpFunction = z.infer<typeof McpFunction>

/** Functions of the workspace whose accounts commands may use. */
const AccountFunctions = z.array(ResourceName).max(16).optional()

const JobSpec = WorkloadSpec.extend({
  functions: AccountFunctions,
  githubRunner: z.object({ repositories: z.union([z.string(), z.array(z.string())]).optional() }).optional(),
  volumes: z.array(TaskVolume).max(50).default([]),
})

export const JobInput = input(JobSpec)
export type JobInput = z.input<typeof JobInput>

export const Job = deployed(JobSpec)
export type Job = z.infer<typeof Job>

/** Only workspace admins can request secret values. */
export const JobQuery = z.object({ show_secrets: Flag })

const ModelSpec = WorkloadSpec.extend({ integrationConnections: IntegrationConnections })

export const ModelInput = input(ModelSpec)
export const Model = deployed(ModelSpec)
export type Model = z.infer<typeof Model>

/** Variables of its commands. */
const SandboxEnv = Env.safeExtend({
  name: VariableName.refine(
    (name) => !isLoaderVariable(name),
    "can't be set, because it would change what a command runs",
  ),
})

const Moment = z.iso.datetime({ offset: true })

/** The first that applies deletes the sandbox. `ttl-idle` counts from its last request or process. */
export const ExpirationPolicy = z.discriminatedUnion('type', [
  z.object({
    type: z.enum(['ttl-idle', 'ttl-max-age']),
    value: Duration,
    action: z.literal('delete').default('delete'),
  }),
  z.object({ type: z.literal('date'), value: Moment, action: z.literal('delete').default('delete') }),
])

const SandboxSpec = WorkloadSpec.extend({
  runtime: Runtime.extend({
    envs: z.array(SandboxEnv).max(200).default([]),
    /** Counts from the creation. */
    ttl: Duration.nullish(),
    expires: Moment.nullish(),
  }).prefault({}),
  lifecycle: z.object({ expirationPolicies: z.array(ExpirationPolicy).max(20).default([]) }).nullish(),
  functions: AccountFunctions,
  /** Volumes of the same workspace. A volume is attached to at most one sandbox. */
  volumes: z.array(StorageMount).max(50).default([]),
  drives: Drives,
})

export const SandboxInput = input(SandboxSpec)
export const Sandbox = deployed(SandboxSpec)
export type Sandbox = z.infer<typeof Sandbox>
