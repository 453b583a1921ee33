import { profile } from './profile.ts'

/** Made for GitHub Apps with expiring user tokens: classic OAuth apps issue no refresh token. */
export const github = profile({
  id: 'github',
  displayName: 'GitHub',
  description: 'Read repositories, issues and pull requests.',
  endpoints: {
    authorization: 'https://github.com/login/oauth/authorize',
    token: 'https://github.com/login/oauth/access_token',
    userinfo: 'https://api.github.com/user',
  },
  // What a GitHub App may do is set where it is registered; scopes are not granted one by one.
  scopes: [{ name: 'read:user', description: 'See your profile', optional: true }],
  forceConsentParameters: { prompt: 'select_account' },
  otherAccountParameters: { prompt: 'select_account' },
  rotatesRefreshTokens: true,
  health: { by: 'function', tool: 'list_repositories', arguments: { per_page: 1 } },
  account: { from: 'userinfo', id: 'id', label: 'login' },
})
