// The events of this program's log. docs/reference/log-events.md says what each means; a test compares.
import { kitEvents, type LogEvents } from '../../../kit/process/log-events.ts'

export const platformEvents = {
  ...kitEvents,
  'api_key.exposed': ['warn', 'an API key was sent in an address and counts as leaked'],
  'api_key.exposure_unrecorded': ['warn', 'a leaked API key was not recorded'],
  'async_request.abandoned': ['warn', 'a request was left to its lease'],
  'authorization_server.failed': ['error', 'the authorization server failed'],
  'callback.failed': ['warn', 'a callback is sent again later'],
  'callback.unstored': ['warn', 'a callback was not stored'],
  'command.refused': ['warn', 'bubblewrap did not start a command'],
  'control_group.unavailable': ['warn', 'the memory of commands is watched instead of limited'],
  'deployment.unsettled': ['warn', 'a deployment was left for later'],
  'grant_status.unrecorded': ['warn', 'a revoked grant was not recorded'],
  'idempotency.unstored': ['warn', 'the end of a request was not stored for its Idempotency-Key'],
  'idle_grant.unrefreshed': ['warn', 'an idle grant was not refreshed'],
  'mcp_event.unstored': ['warn', 'an event of an MCP session cannot be sent again'],
  'request.unexpected': ['error', 'a request met a fault of ours'],
  'sealed_value.unreadable': ['error', 'a sealed value cannot be decrypted'],
  'store.unavailable': ['warn', 'a store did not answer'],
  'task.abandoned': ['warn', 'a task was left to its lease'],
  'tasks.unclaimed': ['warn', 'no tasks could be claimed'],
  'thread.unstored': ['warn', 'a turn of a thread was not stored'],
  'tool.failed': ['error', 'a tool met a fault of ours'],
  'tool_calls.lost': ['warn', 'calls of tools are not on record'],
  'trigger.failed': ['warn', 'a trigger could not be fired'],
  'usage.estimated': ['info', 'the tokens of an answer are billed by an estimate'],
  'usage.unspooled': ['warn', 'usage is in memory alone'],
  'workspace.unfinished': ['warn', 'a workspace was left for later'],
} as const satisfies LogEvents

export type PlatformEvent = keyof typeof platformEvents
