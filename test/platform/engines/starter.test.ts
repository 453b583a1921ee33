// What starts a command in a pod, in the shells of this machine.
import { spawn } from 'node:child_process'
import { expect, test } from 'vitest'
import { findProgram } from '../../../scripts/set-up/commands.mjs'
import { lineOf, starter } from '../../../src/platform/shared/adapters/kubernetes/exec-in-pod.ts'

type Connection = { stdin?: string; env?: Record<string, string>; endsAtOutput?: boolean }

const shells = [['dash'], ['bash'], ['busybox', 'sh']].filter(([program = '']) => findProgram([program]))

const inEachShell = <T>(prove: (shell: string[]) => Promise<T>) => Promise.all(shells.map(prove))

/** Outputs and exit code, when nothing holds the outputs any more. The input stays open, as the connection does. */
const start = async (
  [program = '', ...args]: string[],
  script: string,
  { stdin = '', env = {}, endsAtOutput = false }: Connection = {},
) => {
  const child = spawn(program, [...args, '-c', starter, 'workload'], { detached: true })
  const outputs = { stdout: '', stderr: '' }
  child.stdout.on('data', (data) => {
    outputs.stdout += data
    if (endsAtOutput) child.stdin.end()
  })
  child.stderr.on('data', (data) => {
    outputs.stderr += data
  })
  child.stdin.on('error', () => {})
  const command = ['/bin/sh', '-c', script]
  child.stdin.write(`${lineOf({ command, env, workingFolder: '/tmp', stdin })}\n${stdin}`)
  return new Promise((resolve) => child.on('close', (code, signal) => resolve({ code, signal, ...outputs })))
}

test.each([
  ['outputs and the exit code', 'echo out; echo err >&2; exit 3', {}, { code: 3, stdout: 'out\n', stderr: 'err\n' }],
  ['the folder', 'pwd', {}, { code: 0, stdout: '/tmp\n', stderr: '' }],
  ['a megabyte of input', 'wc -c', { stdin: 'x'.repeat(1_000_000) }, { code: 0, stdout: '1000000\n', stderr: '' }],
  ['input that is not read', 'exit 4', { stdin: 'x'.repeat(1_000_000) }, { code: 4, stdout: '', stderr: '' }],
  [
    'quotes, lines and other scripts in variables',
    'printf %s "$VALUE"',
    { env: { VALUE: 'a "b" \'c\' $HOME\n ünï\t\\' } },
    { code: 0, stdout: 'a "b" \'c\' $HOME\n ünï\t\\', stderr: '' },
  ],
  ['a process that it leaves behind', 'sleep 600 & echo done', {}, { code: 0, stdout: 'done\n', stderr: '' }],
  [
    'a process that it leaves behind after its input',
    'sleep 600 & cat',
    { stdin: 'a\n\nb' },
    { code: 0, stdout: 'a\n\nb', stderr: '' },
  ],
])('a command ends by itself, with %s', async (_what, script, connection, expected) => {
  const ends = await inEachShell((shell) => start(shell, script, connection))

  expect(ends).toEqual(shells.map(() => ({ signal: null, ...expected })))
})

test.each([
  ['without input', '', 'echo begun; sleep 600; echo no'],
  ['with input', 'begun', 'cat; sleep 600; echo no'],
])('a command %s ends with its connection', async (_what, stdin, script) => {
  const ends = await inEachShell((shell) => start(shell, script, { stdin, endsAtOutput: true }))

  expect(ends).toEqual(
    shells.map(() => expect.objectContaining({ signal: 'SIGKILL', stdout: expect.stringMatching(/^begun\s*$/) })),
  )
})
