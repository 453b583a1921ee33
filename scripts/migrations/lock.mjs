// The lock file has the digest of each migration, in order. It is checked in, so that an edited, renamed or removed
// step shows in a review and fails a test.

/**
 * @typedef {Record<string, string>} Lock digests by step name
 * @typedef {{ name: string, digest: string }} Step
 */

/**
 * Returns the new lock, or throws one sentence for each locked step that differs.
 * @param {Lock} lock
 * @param {readonly Step[]} steps
 * @returns {{ lock: Lock, added: string[] }}
 */
export function lockSteps(lock, steps) {
  const present = new Map(steps.map(({ name, digest }) => [name, digest]))
  const changed = Object.keys(lock).filter((name) => present.get(name) !== lock[name])
  if (changed.length > 0) {
    throw new Error(changed.map((name) => `${name} is locked: restore it, and write a new step.`).join('\n'))
  }
  return {
    lock: Object.fromEntries(present),
    added: steps.map(({ name }) => name).filter((name) => !Object.hasOwn(lock, name)),
  }
}
