// The addresses of the gateway, for the OpenAPI document.
import { z } from 'zod'
import {
  ExecutionInput,
  JobExecution,
  Started,
  TriggerAccepted,
  TriggerInput,
} from '../../../contract/control-plane/execution.ts'
import { AgentAccepted, AgentQuery, AgentRequest } from '../../../contract/gateway/agent-request.ts'
import { ChatRequest } from '../../../contract/gateway/model-request.ts'
import { DriveMount, SandboxDrives } from '../../../contract/gateway/sandbox-drives.ts'
import { FolderListing, FolderTree } from '../../../contract/gateway/sandbox-files.ts'
import type { GatewayAddress } from '../../shared/http/openapi/operations.ts'

/** The answer of a workload is passed on unchanged. */
const Anything = z.unknown()

const agents: GatewayAddress = {
  method: 'post',
  path: '/:workspace/agents/:agent',
  scope: 'agents:get',
  summary: 'Ask an agent; with async=true its answer goes to the callback of its trigger',
  schemas: { query: AgentQuery, body: AgentRequest, answer: z.union([AgentAccepted, Anything]) },
  takes: ['threadId'],
  answers: ['source'],
}

const models: GatewayAddress[] = [
  { path: '/:workspace/models/:model/chat/completions', body: ChatRequest },
  { path: '/:workspace/models/:model', body: Anything },
].map(({ path, body }) => ({
  method: 'post',
  path,
  scope: 'models:get',
  summary: 'Ask a model',
  schemas: { body, answer: Anything },
  answers: ['source'],
}))

/** JSON-RPC messages and streams of events, as the protocol has them. */
const mcpServers: GatewayAddress[] = [
  { path: '/:workspace/functions/:server/mcp', scope: 'functions:get', what: 'a function' },
  { path: '/:workspace/sandboxes/:sandbox/mcp', scope: 'sandboxes:control', what: 'a sandbox' },
].flatMap(({ path, scope, what }) => {
  const common = { path, scope, takes: ['mcpSessionId'] } as const
  return [
    {
      ...common,
      method: 'post',
      summary: `Talk to the MCP server of ${what}`,
      schemas: { body: Anything, answer: Anything },
      answers: ['mcpSessionId'],
    },
    { ...common, method: 'get', summary: `Listen to the MCP server of ${what}`, schemas: { answer: Anything } },
    { ...common, method: 'delete', summary: `End a session with ${what}`, schemas: { answer: Anything } },
  ]
})

const files: GatewayAddress[] = [
  { path: '/:workspace/sandboxes/:sandbox/filesystem/tree/*path', answer: FolderTree },
  { path: '/:workspace/sandboxes/:sandbox/filesystem/*path', answer: FolderListing },
].map(({ path, answer }) => ({
  method: 'get',
  path,
  scope: 'sandboxes:get',
  summary: 'List a folder of a sandbox',
  schemas: { answer },
}))

const driveMounts = '/:workspace/sandboxes/:sandbox/drives'
const drives: GatewayAddress[] = [
  {
    method: 'get',
    path: driveMounts,
    scope: 'sandboxes:get',
    summary: 'List the drives of a sandbox',
    schemas: { answer: SandboxDrives },
  },
  {
    method: 'post',
    path: driveMounts,
    scope: 'sandboxes:control',
    summary: 'Mount a drive in a sandbox while it runs',
    schemas: { body: DriveMount, answer: SandboxDrives },
  },
  {
    method: 'delete',
    path: `${driveMounts}/*path`,
    scope: 'sandboxes:control',
    summary: 'Take the drive that is mounted at a path out of a sandbox',
    schemas: { answer: SandboxDrives },
  },
]

const executions: GatewayAddress = {
  method: 'post',
  path: '/:workspace/jobs/:job/executions',
  atApi: true,
  scope: 'jobs:create',
  summary: 'Start an execution of a job',
  schemas: { body: ExecutionInput, answer: Started },
  takes: ['version', 'idempotencyKey'],
  answers: ['idempotencyReplayed'],
}

const triggers: GatewayAddress[] = ['/:workspace/jobs/:job', '/:workspace/jobs/:job/*path'].map((path) => ({
  method: 'post',
  path,
  atApi: true,
  scope: 'jobs:create',
  summary: 'Start an execution by the path of a trigger; http waits for its end, http-async tells the callback',
  schemas: { body: TriggerInput, answer: z.union([JobExecution, TriggerAccepted]) },
  bodyOptional: true,
}))

export const gatewayAddresses: readonly GatewayAddress[] = [
  agents,
  ...models,
  ...mcpServers,
  ...files,
  ...drives,
  executions,
  ...triggers,
]
