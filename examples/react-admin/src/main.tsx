import { createRoot } from 'react-dom/client';
import { Admin, Resource } from 'react-admin';
import { plantStore } from './plant-store.ts';
import { PlantCreate, PlantEdit, PlantList } from './plants.tsx';
import { accessToken, signIn, signInPage } from './sign-in.tsx';

const SERVICE: string = import.meta.env['VITE_SERVICE'] ?? 'http://127.0.0.1:3000';

createRoot(document.getElementById('root')!).render(
  <Admin
    title="Plants"
    dataProvider={plantStore(SERVICE, accessToken)}
    authProvider={signIn(SERVICE)}
    loginPage={signInPage}
    requireAuth
    disableTelemetry
  >
    <Resource
      name="plants"
      list={PlantList}
      edit={PlantEdit}
      create={PlantCreate}
      recordRepresentation="name"
    />
  </Admin>,
);
