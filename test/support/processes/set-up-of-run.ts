// What a run needs before its first test, side by side: one waits for servers while the other keeps a core busy.
import type { TestProject } from 'vitest/node'
import { bundlePrograms } from './bundled-programs.ts'
import { startStores } from './stores-of-run.ts'

export default async function setUpRun(project: TestProject): Promise<() => Promise<void>> {
  const [stopStores] = await Promise.all([startStores(project), bundlePrograms()])
  return stopStores
}
