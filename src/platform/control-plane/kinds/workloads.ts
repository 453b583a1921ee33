import {
  Agent,
  AgentInput,
  Job,
  JobInput,
  JobQuery,
  McpFunction,
  McpFunctionInput,
  Model,
  ModelInput,
  Sandbox,
  SandboxInput,
} from '../../../contract/control-plane/workloads.ts'
import type { Kind } from '../domain/kind.ts'
import type { Document } from '../domain/resource.ts'
import { missingCallbackSecrets, workloadSecrets } from '../domain/workload-secrets.ts'

const workload = {
  listing: 'pages',
  deploys: 'async',
  secrets: workloadSecrets,
  missingSecrets: missingCallbackSecrets,
} as const

export const agent: Kind = {
  ...workload,
  name: 'agent',
  path: '/agents',
  param: 'agentName',
  scope: 'agents',
  input: AgentInput,
  document: Agent,
}

export const mcpFunction: Kind = {
  ...workload,
  name: 'function',
  path: '/functions',
  param: 'functionName',
  scope: 'functions',
  input: McpFunctionInput,
  document: McpFunction,
}

export const job: Kind = {
  ...workload,
  name: 'job',
  path: '/jobs',
  param: 'jobId',
  scope: 'jobs',
  input: JobInput,
  document: Job,
  query: JobQuery,
  delegates: { functions: 'functions:get' },
  startedAtApi: true,
}

export const model: Kind = {
  ...workload,
  name: 'model',
  path: '/models',
  param: 'modelName',
  scope: 'models',
  input: ModelInput,
  document: Model,
}

export const sandbox: Kind = {
  ...workload,
  name: 'sandbox',
  path: '/sandboxes',
  param: 'sandboxName',
  scope: 'sandboxes',
  input: SandboxInput,
  document: Sandbox,
  ownHost: true,
  delegates: { functions: 'functions:get' },
  attaches: (spec) => ((spec.volumes ?? []) as Document[]).map(({ name }) => String(name)),
}
