// The lock file has the digest of each migration, in order. It is checked in, so that an edited, renamed or removed
// step shows in a review and fails a test.

/**
 * @typedef {Record<string, string>} Lock digests by step name
 * @typedef {{ name: string, digest: string }} Step
 * @typedef {{ replace: boolean, isReleased(name: string): boolean }} Permission
 */

/**
 * Returns the new lock, or throws one sentence for each locked step that differs.
 * @param {Lock} lock
 * @param {readonly Step[]} steps
 * @param {Permission} permission
 * @returns {{ lock: Lock, added: string[], replaced: string[] }}
 */
export function lockSteps(lock, steps, { replace, isReleased }) {
  const present = new Map(steps.map(({ name, digest }) => [name, digest]))
  const replaced = Object.keys(lock).filter((name) => present.get(name) !== lock[name])
  const refused = replaced.filter((name) => !replace || isReleased(name))
  if (refused.length > 0) throw new Error(refused.map((name) => refusal(name, isReleased(name))).join('\n'))
  return {
    lock: Object.fromEntries(present),
    added: steps.map(({ name }) => name).filter((name) => !Object.hasOwn(lock, name)),
    replaced,
  }
}

/**
 * @param {string} name
 * @param {boolean} isReleased
 */
const refusal = (name, isReleased) =>
  isReleased
    ? `${name} is part of a release and cannot be changed, renamed or removed: restore it, and write a new step.`
    : `${name} is locked: restore it and write a new step, or, as long as no release has it, use -- --replace.`
