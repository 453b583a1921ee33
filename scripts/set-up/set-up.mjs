import { join } from 'node:path'
import { Told } from './commands.mjs'
import { setUpFolder } from './folders.mjs'
import { withLock } from './lock.mjs'

/**
 * Does what is missing, one line each; a step that is done says nothing.
 * @param {import('./steps.mjs').Step[]} steps
 */
export async function setUp(steps) {
  if (steps.every((step) => step.isDone())) return // asked without the lock: the usual start waits for nobody
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
 * @param {string} [output] what the failed command printed
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
 * Runs a script to its end; whoever threw Told has said why already.
 * @param {() => Promise<number | void>} script
 */
export async function runScript(script) {
  try {
    const status = await script()
    if (typeof status === 'number') process.exitCode = status // else a program that ran in here has set its own
  } catch (error) {
    if (!(error instanceof Told)) throw error
    process.exitCode = 1
  }
}
