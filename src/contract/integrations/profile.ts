import { profileProblems } from './profile-problems.ts'
import { type Profile as ProfileOf, ProfileShape } from './profile-shape.ts'

export type Profile = ProfileOf

export const Profile = ProfileShape.check(({ value, issues }) => {
  for (const { path, message } of profileProblems(value)) issues.push({ code: 'custom', input: value, path, message })
})
