import type { InitializeHook, LoadHook } from 'node:module'
import type { Bug } from './bugs.ts'

let bug: Bug

export const initialize: InitializeHook<Bug> = (data) => {
  bug = data
}

export const load: LoadHook = async (url, context, nextLoad) => {
  const loaded = await nextLoad(url, context)
  if (!url.endsWith(`/dist-bench/${bug.file.replace(/ts$/, 'js')}`)) return loaded
  const source = String(loaded.source)
  if (source.split(bug.code).length !== 2) throw new Error(`${bug.file} has no single place with: ${bug.code}`)
  return { ...loaded, source: source.replace(bug.code, () => bug.instead) }
}
