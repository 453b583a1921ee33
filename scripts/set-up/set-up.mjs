import { join } from 'node:path'
import { Told } from './commands.mjs'
import { setUpFolder } from './folders.mjs'
import { withLock } from './lock.mjs'

/**
 * Does the missing steps, with one line each.
 * @param {import('./steps.mjs').Step[]} steps
 */
export async function setUp(steps) {
  if (steps.every((step) => step.isDone())) return // without the lock, so that the usual start does not wait
  const onWait = () => say('Waiting for another set-up in this folder …\n')
  await withLock(join(setUpFolder, 'lock'), onWait, async () => {
    for (const step of steps) await complete(step)
  })
}

/** @param {import('./steps.mjs').Step} step */
async function complete(step) {
  if (step.isDone()) return
  if (step.isPossible?.() === false) return giveUp(step)
  const startedAt = Date.now()
  say(`${step.doing} … `)
  try {
    await step.do()
    say(`${Math.max(1, Math.round((Date.now() - startedAt) / 1_000))} s\n`)
  } catch (error) {
    say('not done\n')
    if (error instanceof Told) throw error
    giveUp(step, error instanceof Error ? error.message : String(error))
  }
}

/**
 * @param {import('./steps.mjs').Step} step
 * @param {string} [output] of the failed command
 */
function giveUp({ cannot, instead }, output) {
  if (output && !instead) say(`${output}\n`)
  say(`${cannot}\n`)
  if (!instead) throw new Told(cannot)
  instead()
}

/** @param {string} text */
const say = (text) => process.stderr.write(text)

/**
 * Runs a script to its end. A Told error was already printed.
 * @param {() => Promise<number | void>} script
 */
export async function runScript(script) {
  try {
    const status = await script()
    if (typeof status === 'number') process.exitCode = status // otherwise a program in this process has set it
  } catch (error) {
    if (!(error instanceof Told)) throw error
    process.exitCode = 1
  }
}
