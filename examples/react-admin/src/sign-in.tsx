import { type AuthProvider, Login, LoginForm, PasswordInput, required } from 'react-admin';

const KEY = 'access-token';

/** The access token, which this tab alone has. */
export function accessToken(): string {
  return sessionStorage.getItem(KEY) ?? '';
}

export function signIn(url: string): AuthProvider {
  return {
    login: async ({ token }: { token: string }) => {
      const headers = { Authorization: `Bearer ${token}` };
      const response = await fetch(`${url}/tokens/current`, { headers });
      if (!response.ok) throw new Error((await response.json()).message);
      sessionStorage.setItem(KEY, token);
    },
    logout: async () => sessionStorage.removeItem(KEY),
    checkAuth: async () => {
      if (accessToken() === '') throw new Error('Sign in with an access token.');
    },
    checkError: async ({ status }: { status?: number }) => {
      if (status === 401) throw new Error('The access token is not valid any more.');
    },
  };
}

export const signInPage = (
  <Login>
    <LoginForm>
      <PasswordInput source="token" label="Access token" validate={required()} autoFocus />
    </LoginForm>
  </Login>
);
