// Loaded before a worker: replaces one place of the code with the bug that SEEDED_BUG names.
import { register } from 'node:module'
import { bugs } from './bugs.ts'

const name = process.env.SEEDED_BUG ?? ''
const bug = bugs[name]
if (!bug) throw new Error(`there is no seeded bug ${name}`)
register(new URL('./seed-bug-hooks.js', import.meta.url), { data: bug })
