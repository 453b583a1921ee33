import { spawn } from 'node:child_process'
import { accessSync, constants, createWriteStream, mkdirSync, readFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { root } from './folders.mjs'

/** @typedef {[command: string, ...args: string[]]} Command */

/** Thrown after the error was printed. */
export class Told extends Error {}

/**
 * Runs a command with its output in a log. Prints the log if the command fails.
 * @param {Command} command
 * @param {string} log
 */
export async function runQuietly(command, log) {
  mkdirSync(dirname(log), { recursive: true })
  const output = createWriteStream(log)
  const status = await run(command, (child) => {
    child.stdout?.pipe(output, { end: false })
    child.stderr?.pipe(output, { end: false })
  })
  await new Promise((resolve) => output.end(resolve))
  if (status !== 0) throw new Error(shorten(readFileSync(log, 'utf8').trim().split('\n')).join('\n'))
}

/**
 * Some tools report the error first, some last.
 * @param {string[]} lines
 */
const shorten = (lines) => (lines.length <= 30 ? lines : [...lines.slice(0, 15), '…', ...lines.slice(-15)])

/**
 * Runs a command on this terminal and returns its exit code.
 * @param {Command} command
 * @param {NodeJS.ProcessEnv} [env]
 * @returns {Promise<number>}
 */
export const runHere = (command, env = process.env) => run(command, undefined, env)

/**
 * @param {Command} command
 * @param {((child: import('node:child_process').ChildProcess) => void)} [readOutput] default: show the output
 * @returns {Promise<number>}
 */
function run([program, ...args], readOutput, env = process.env) {
  /** @type {import('node:child_process').StdioOptions} */
  const stdio = readOutput ? ['ignore', 'pipe', 'pipe'] : 'inherit'
  const child = spawn(program, args, { cwd: root, env, stdio })
  readOutput?.(child)
  const letGo = endTogether(child)
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (status, signal) => (signal ? reject(new Told(`ended by ${signal}`)) : resolve(status ?? 1)))
  }).finally(letGo)
}

/**
 * Ends after the command. A terminal sends Ctrl-C to both processes; other senders signal only this one.
 * @param {import('node:child_process').ChildProcess} child
 */
function endTogether(child) {
  const onInterrupt = () => process.stdin.isTTY || child.kill('SIGINT')
  const onTerminate = () => child.kill('SIGTERM')
  process.on('SIGINT', onInterrupt).on('SIGTERM', onTerminate)
  return () => void process.off('SIGINT', onInterrupt).off('SIGTERM', onTerminate)
}

/**
 * The first of these programs on the PATH, or at the given path.
 * @param {readonly string[]} names
 * @returns {string | undefined}
 */
export function findProgram(names) {
  const folders = (process.env.PATH ?? '').split(delimiter)
  const candidates = names.flatMap((name) =>
    name.includes('/') ? [name] : folders.map((folder) => join(folder, name)),
  )
  return candidates.find(isExecutable)
}

/** @param {string} file */
function isExecutable(file) {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/**
 * The npm that started this script: another npm on the PATH may write a different folder.
 * @param {string[]} args
 * @returns {Command}
 */
export function npm(...args) {
  const self = process.env.npm_execpath
  return self?.endsWith('.js') ? [process.execPath, self, ...args] : ['npm', ...args]
}

/**
 * A program of our dependencies.
 * @param {string} name
 */
export const installed = (name) => join(root, 'node_modules/.bin', name)
