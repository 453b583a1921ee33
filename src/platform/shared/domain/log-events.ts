// Log events of this program. docs/reference/log-events.md is generated from them.
import { kitEvents, type LogEvents } from '../../../kit/process/log-events.ts'

export const platformEvents = {
  ...kitEvents,
  'api_key.exposure_unrecorded': {
    level: 'warn',
    description: 'A key that was sent in a URL could not be marked as leaked.',
  },
  'approval.forged': {
    level: 'error',
    description:
      'The receipt of an approval has a wrong signature, so the call was not made: the row `context` was changed in the database, or the encryption key that signed it is not loaded.',
  },
  'approval.unrecorded': {
    level: 'warn',
    description: 'A call needs an approval, and its caller got no link, because the store failed.',
  },
  'approval.unsettled': {
    level: 'warn',
    description: 'A call was made with an approval, and the store did not accept that it was answered.',
  },
  'async_request.abandoned': {
    level: 'warn',
    description: 'An asynchronous request to an agent failed here; another process retries it.',
  },
  'authorization_server.failed': { level: 'error', description: 'The authorization server met a bug.' },
  'callback.failed': { level: 'warn', description: 'The callback of an execution was not sent; it is sent again.' },
  'callback.unstored': {
    level: 'warn',
    description: 'The callback of an agent’s answer could not be stored, and is lost.',
  },
  'command.refused': {
    level: 'warn',
    description:
      'Bubblewrap did not start the command `task` of a job or sandbox: `detail` is its message. The tenant sees only that the command could not be started. Often a folder of `RUNTIMES_FILE` that the account of commands cannot read.',
  },
  'containers.missing': {
    level: 'warn',
    description:
      'The engine could not start the containers of `count` sandboxes; the next turn retries. Their commands are rejected with the reason. Look at the log of the engine.',
  },
  'control_group.unavailable': {
    level: 'warn',
    description:
      '`CONTROL_GROUP=delegated` is set and the control group cannot be used: `detail` is the message of the kernel. Commands still run; their memory is watched, which is best effort, and their CPUs are not limited. Check `Delegate=` in the unit, and that the machine has control groups of version 2 (`stat -fc %T /sys/fs/cgroup` prints `cgroup2fs`).',
  },
  'deployment.unsettled': { level: 'warn', description: 'A resource keeps its status until the next turn.' },
  'engine.ready': { level: 'info', description: 'Commands of jobs and sandboxes can run on `engine`.' },
  'engine.unavailable': {
    level: 'warn',
    description:
      'Commands of jobs and sandboxes are rejected: `detail` says why. Everything else works. Written when the program starts; `/readyz` has the current state.',
  },
  'grant_status.unrecorded': {
    level: 'warn',
    description: 'A grant was found revoked, and the store did not accept the change.',
  },
  'idle_grant.unrefreshed': {
    level: 'warn',
    description: 'A grant that its provider ends when idle could not be refreshed.',
  },
  'mcp_event.unstored': {
    level: 'warn',
    description: 'A client that reconnects to its MCP session may miss an event.',
  },
  'process.abandoned': {
    level: 'warn',
    description: 'The end of a sandbox’s process could not be stored. It is `failed` when its lease expires.',
  },
  'repair.unrecorded': {
    level: 'warn',
    description: 'A call met a dead grant, and its caller got no link to renew it, because the store failed.',
  },
  'sealed_value.unreadable': {
    level: 'error',
    description:
      'A secret does not decrypt: its encryption key is not loaded, or the value was changed. `context` names it.',
  },
  'settings.followed': {
    level: 'info',
    description: 'The process uses changed settings of onboarding. `count` is their version.',
  },
  'settings.invalid': {
    level: 'error',
    description:
      'This release rejects the settings of an integration that onboarding accepted; the entry of the file or the catalogue applies instead. Run the same release in both programs.',
  },
  'settings.unreachable': {
    level: 'warn',
    description:
      'Onboarding does not answer at `SETTINGS_URL`, or rejects `SETTINGS_KEY`. The settings that were seen last apply. Logged once until it answers again.',
  },
  'task.abandoned': { level: 'warn', description: 'A task of an execution failed here; another worker retries it.' },
  'tasks.unclaimed': { level: 'warn', description: 'A worker could not claim tasks.' },
  'thread.unstored': { level: 'warn', description: 'An agent’s thread lacks a turn.' },
  'tool.failed': { level: 'error', description: 'A tool call met a bug.' },
  'tool_calls.export_failed': {
    level: 'warn',
    description:
      'A destination of exported tool calls did not accept a batch, for `problem`. It is sent again in `inSeconds`; nothing is left out.',
  },
  'tool_calls.export_rejected': {
    level: 'warn',
    description:
      'The OTLP destination took a batch of tool calls, but rejected `count` of them for good. They are not sent again.',
  },
  'tool_calls.lost': {
    level: 'warn',
    description: 'The database was unavailable for so long that `count` records of tool calls were dropped.',
  },
  'trigger.failed': { level: 'warn', description: 'A schedule could not start its workload; the next turn retries.' },
  'tokens.uncounted': {
    level: 'warn',
    description: 'The tokens of a model call were not counted towards its policies.',
  },
  'usage.estimated': {
    level: 'info',
    description:
      'A model’s provider did not report all usage of an answer, because the caller disconnected, the stream ended early, or the provider does not report streams; `count` tokens are billed by an estimate.',
  },
  'usage.unspooled': {
    level: 'warn',
    description: 'Usage events could not be written to the folder `detail`, and would be lost in a crash.',
  },
  'workspace.unfinished': { level: 'warn', description: 'A workspace is completed by the next turn.' },
} as const satisfies LogEvents

export type PlatformEvent = keyof typeof platformEvents
