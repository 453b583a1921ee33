// For the OpenAPI document.
import { z } from 'zod'
import {
  ExecutionInput,
  JobExecution,
  Started,
  TriggerAccepted,
  TriggerInput,
} from '../../../contract/control-plane/execution.ts'
import { IssuedAccessToken } from '../../../contract/gateway/access-token.ts'
import { AgentAccepted, AgentQuery, AgentRequest, ChatRequest } from '../../../contract/gateway/requests.ts'
import { DriveMount, SandboxDrives } from '../../../contract/gateway/sandboxes.ts'
import type { GatewayAddress } from '../../shared/http/openapi/rules.ts'
import { sandboxDrives, sandboxFiles, sandboxPorts, sandboxProcesses } from './sandbox/sandbox-addresses.ts'

const Anything = z.unknown().meta({ description: 'The response of the workload.' })

const agents: GatewayAddress = {
  method: 'post',
  path: '/{workspace}/agents/{agent}',
  scope: 'agents:get',
  summary: 'Call an agent; with async=true the response is sent to the callback of its trigger',
  query: AgentQuery,
  body: AgentRequest,
  answers: { 200: z.union([AgentAccepted, Anything]) },
  requestHeaders: ['threadId'],
  responseHeaders: ['source'],
}

const models: GatewayAddress[] = [
  { path: '/{workspace}/models/{model}/chat/completions', body: ChatRequest },
  { path: '/{workspace}/models/{model}', body: Anything },
].map(({ path, body }) => ({
  method: 'post',
  path,
  scope: 'models:get',
  summary: 'Call a model',
  body,
  answers: { 200: Anything },
  responseHeaders: ['source'],
}))

const mcpServers: GatewayAddress[] = [
  { path: '/{workspace}/functions/{server}/mcp', scope: 'functions:get', what: 'a function' },
  { path: '/{workspace}/mcp', scope: 'functions:get', what: 'all functions of an end user' },
  { path: '/{workspace}/sandboxes/{sandbox}/mcp', scope: 'sandboxes:control', what: 'a sandbox' },
].flatMap(({ path, scope, what }) => {
  const named = path === '/{workspace}/mcp' ? (['endUser'] as const) : []
  const common = { path, scope, requestHeaders: ['mcpSessionId' as const, ...named] }
  return [
    {
      ...common,
      method: 'post',
      summary: `Send a message to the MCP server of ${what}`,
      body: Anything,
      answers: { 200: Anything },
      responseHeaders: ['mcpSessionId'],
    },
    { ...common, method: 'get', summary: `Listen to the MCP server of ${what}`, answers: { 200: Anything } },
    { ...common, method: 'delete', summary: `End a session with ${what}`, answers: { 200: Anything } },
  ]
})

const relayed: GatewayAddress[] = (['get', 'post', 'put', 'patch', 'delete'] as const).map((method) => ({
  method,
  path: '/{workspace}/functions/{server}/relay/{host}/{path}',
  scope: 'functions:get',
  summary: `Send a ${method.toUpperCase()} request to the API of the account behind a function; the host - is the first API host`,
  ...(method !== 'get' && { body: Anything, bodyOptional: true }),
  answers: { 200: Anything },
  responseHeaders: ['source'],
}))

const accessTokens: GatewayAddress = {
  method: 'post',
  path: '/{workspace}/functions/{server}/access-tokens/{host}',
  scope: 'functions:get',
  summary:
    'Get a short-lived access token of the account behind a function, if the operator allows it; the host - is the first API host',
  answers: { 200: IssuedAccessToken },
}

const driveMounts = '/{workspace}/sandboxes/{sandbox}/drives'
const drives: GatewayAddress[] = [
  { method: 'get', path: driveMounts, scope: 'sandboxes:get', summary: 'List the drives of a sandbox' } as const,
  {
    method: 'post',
    path: driveMounts,
    scope: 'sandboxes:control',
    summary: 'Mount a drive in a sandbox while it runs',
    body: DriveMount,
  } as const,
  {
    method: 'delete',
    path: `${driveMounts}/{path}`,
    scope: 'sandboxes:control',
    summary: 'Unmount the drive at a path of a sandbox',
  } as const,
].map((address) => ({ ...address, answers: { 200: SandboxDrives } }))

const executions: GatewayAddress = {
  method: 'post',
  path: '/{workspace}/jobs/{job}/executions',
  atApi: true,
  scope: 'jobs:create',
  summary: 'Start an execution of a job',
  body: ExecutionInput,
  answers: { 200: Started },
  requestHeaders: ['version', 'idempotencyKey'],
  responseHeaders: ['idempotencyReplayed'],
}

const triggers: GatewayAddress[] = ['/{workspace}/jobs/{job}', '/{workspace}/jobs/{job}/{path}'].map((path) => ({
  method: 'post',
  path,
  atApi: true,
  scope: 'jobs:create',
  summary: 'Start an execution by the path of a trigger; http waits for its end, http-async calls the callback',
  body: TriggerInput,
  answers: { 200: z.union([JobExecution, TriggerAccepted]) },
  bodyOptional: true,
}))

export const gatewayAddresses: readonly GatewayAddress[] = [
  agents,
  ...models,
  ...mcpServers,
  ...relayed,
  accessTokens,
  ...sandboxFiles,
  ...sandboxDrives,
  ...sandboxProcesses,
  ...sandboxPorts,
  ...drives,
  executions,
  ...triggers,
]
