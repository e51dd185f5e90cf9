declare module 'swagger-ui-dist/swagger-ui-es-bundle.js' {
  export default function SwaggerUI(configuration: {
    dom_id: string;
    url: string;
    deepLinking: boolean;
    filter: boolean;
    persistAuthorization: boolean;
  }): void;
}
