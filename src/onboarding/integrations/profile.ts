import type { Profile as ContractProfile } from '../../contract/integrations/profile.ts'
import { type ProfileInput, ProfileShape } from '../../contract/integrations/profile-shape.ts'
import type { HealthProfile, Profile } from '../domain/integration.ts'

export const compileProfile = ({ health, ...profile }: ContractProfile): Profile => ({
  ...profile,
  health: { ...health, by: health.by ?? triedBy(health.tool, profile) },
})

/** A rotating token must have only one user, so a refresh is not always safe. */
const triedBy = (
  tool: string | undefined,
  { grant, rotation }: Pick<Profile, 'grant' | 'rotation'>,
): HealthProfile['by'] => (tool === undefined && grant === 'refresh' && rotation === 'none' ? 'refresh' : 'function')

export type ProfileData = ProfileInput

export const profile = (data: ProfileData): Profile => compileProfile(ProfileShape.parse(data))
