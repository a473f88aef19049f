export default { render( { };
