import { SandboxProcessInput } from '../../../../contract/gateway/sandboxes.ts'
import type { Output } from '../../../shared/domain/engine.ts'

/** Schemas of its members. */
export const startedProcess = SandboxProcessInput.shape

export const processStates = ['running', 'completed', 'failed', 'killed', 'stopped'] as const
export type ProcessState = (typeof processStates)[number]

/** Both end a process at once, with everything that it started. */
export type StopState = Extract<ProcessState, 'killed' | 'stopped'>

/** `sandbox` is its ID. */
export type ProcessKey = { sandbox: string; pid: string }

export type NewProcess = ProcessKey & {
  name: string
  command: string
  workingFolder: string
  maxRestarts: number
  keepsAlive: boolean
}

export type SandboxProcess = NewProcess & {
  state: ProcessState
  exitCode: number | undefined
  restarts: number
  startedAt: Date
  endedAt: Date | undefined
}

export type OutputPart = { part: number; output: Output; content: string }

export type ProcessOutput = { add(output: Output, part: Uint8Array): void; close(): Promise<void> }

export type ProcessEnd = { state: Exclude<ProcessState, 'running'>; exitCode: number }

/** The exit code of a command that was ended by SIGKILL, as a shell reports it. */
export const killedCode = 137

/** Processes of all sandboxes, shared by all processes of the platform. `worker` is the one that runs the command. */
export type SandboxProcesses = {
  /** Fails if another running process of the sandbox has the name. */
  add(process: NewProcess, worker: string): Promise<void>
  openOutput(key: ProcessKey): ProcessOutput
  noteRestart(key: ProcessKey): Promise<void>
  end(key: ProcessKey, end: ProcessEnd): Promise<void>
  /** By its ID, or the newest process with this name. */
  find(sandbox: string, identifier: string): Promise<SandboxProcess | undefined>
  list(sandbox: string): Promise<SandboxProcess[]>
  /** At one moment, so that no output before the end is missed. */
  outputAfter(key: ProcessKey, part: number): Promise<{ isRunning: boolean; parts: OutputPart[] }>
  requestStop(key: ProcessKey, state: StopState): Promise<void>
  /** Returns those that the worker keeps. `stop` is the state that a caller requested. */
  renew(worker: string, own: readonly ProcessKey[]): Promise<Array<ProcessKey & { stop: StopState | undefined }>>
  /** Ends processes whose lease has expired, and deletes old ones. */
  sweep(): Promise<void>
}
